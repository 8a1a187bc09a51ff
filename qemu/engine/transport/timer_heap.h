// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-or-later
// Copyright (c) 2026 The Tern authors
//
// Deadlines of QPs, earliest first. A QP is in the heap once, at most. A
// deadline that moves later, as with every acknowledge, costs nothing: the
// entry stays early and is put right when it comes up.
#pragma once

#include <cstdint>
#include <vector>

#include "qemu/engine/transport/qp.h"

namespace tern {

class TimerHeap {
public:
    // The QP's deadline_ns() may have changed.
    void update(Qp& qp);
    void remove(Qp& qp);
    void clear() { heap_.clear(); }

    // Earliest entry; may be early. UINT64_MAX: none.
    [[nodiscard]] uint64_t first_deadline_ns() const {
        return heap_.empty() ? UINT64_MAX : heap_.front()->timer_deadline_ns;
    }
    // A QP whose deadline has come, taken out; nullptr: none.
    [[nodiscard]] Qp* take_due(uint64_t now_ns);

private:
    void place(uint32_t slot, Qp* qp);
    void sift_up(uint32_t slot);
    void sift_down(uint32_t slot);

    std::vector<Qp*> heap_;
};

}  // namespace tern
