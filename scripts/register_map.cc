// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// register_map: the rows of include/ as tables in markdown, each between the
// marks that documents have around it. scripts/checks/docs compares them.
#include <cstdint>
#include <cstdio>
#include <string>

namespace {

// `TERN_REG_STATUS_STATE` without the first @prefix.
std::string without(const std::string& prefix, const std::string& name) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

void begin(const char* name, const char* heading) {
    std::printf("<!-- %s begin -->\n| %s |\n|", name, heading);
    for (const char* at = heading; *at; ++at)
        if (*at == '|') std::printf(" --- |");
    std::printf(" --- |\n");
}

void end(const char* name) { std::printf("<!-- %s end -->\n", name); }

void print_register(const char* name, uint32_t offset, uint32_t bytes, const char* access, uint64_t reset,
                    const char* meaning) {
    std::printf("| 0x%03x | **`%s`** | %u bytes | %s | 0x%0*llx | %s |\n", offset, without("TERN_REG_", name).c_str(),
                bytes, access, static_cast<int>(2 * bytes), static_cast<unsigned long long>(reset), meaning);
}

void print_field(const char* owner, const char* name, uint32_t high, uint32_t low, const char* access,
                 const char* meaning) {
    const std::string bits = high == low ? std::to_string(high) : std::to_string(high) + ":" + std::to_string(low);
    std::printf("| | `%s` | %s | %s | | %s |\n", without(std::string(owner) + "_", name).c_str(), bits.c_str(), access,
                meaning);
}

void print_registers() {
    begin("registers", "offset | name | bits | access | reset | meaning");
#define TERN_REGISTER(name, offset, bytes, access, reset, meaning) \
    print_register(#name, offset, bytes, #access, reset, meaning);
#define TERN_REGISTER_FIELD(owner, name, high, low, access, meaning) \
    print_field(#owner, #name, high, low, #access, meaning);
#include "tern/hw/regs.def"
    end("registers");
}

// The name of a request or response: that of its struct, or none.
std::string shape(const std::string& name) {
    return name == "tern_cmd_empty" ? "" : "`" + without("tern_cmd_", name) + "`";
}

void print_commands() {
    begin("commands", "opcode | command | request | response | meaning");
#define TERN_COMMAND(name, opcode, request, response, meaning)                                            \
    std::printf("| 0x%04x | %s | %s | %s | %s |\n", opcode, without("TERN_CMD_", #name).c_str(),           \
                shape(#request).c_str(), shape(#response).c_str(), meaning);
#include "tern/fw/command.def"
    end("commands");
}

// Rows that are a value, a name and one more column.
void print_row(int value, const std::string& name, const char* more, const char* meaning) {
    std::printf("| %d | %s | %s | %s |\n", value, name.c_str(), more, meaning);
}

void print_codes() {
    begin("statuses", "status | name | errno | meaning");
#define TERN_COMMAND_STATUS(name, value, errno_name, meaning) \
    print_row(value, without("TERN_STATUS_", #name), #errno_name, meaning);
#include "tern/fw/status.def"
    end("statuses");

    begin("events", "type | event | object | meaning");
#define TERN_EVENT(name, value, object, meaning) print_row(value, without("TERN_EVENT_", #name), #object, meaning);
#include "tern/hw/event.def"
    end("events");

    begin("cqe-opcodes", "opcode | name | verbs | meaning");
#define TERN_CQE_OPCODE(name, value, verbs, meaning) \
    print_row(value, without("TERN_CQE_OP_", #name), #verbs, meaning);
#include "tern/hw/cqe_opcode.def"
    end("cqe-opcodes");

    begin("cqe-statuses", "status | name | verbs | meaning");
#define TERN_CQE_STATUS(name, value, verbs, meaning) \
    print_row(value, without("TERN_CQE_STATUS_", #name), #verbs, meaning);
#include "tern/hw/cqe_status.def"
    end("cqe-statuses");

    begin("wqe-opcodes", "opcode | name | meaning");
#define TERN_WQE_OPCODE(name, value, meaning) \
    std::printf("| %d | %s | %s |\n", value, without("TERN_WQE_OP_", #name).c_str(), meaning);
#include "tern/hw/wqe_opcode.def"
    end("wqe-opcodes");
}

void print_counters() {
    begin("port-counters", "slot | counter | shown by | meaning");
#define TERN_PORT_COUNTER(name, index, label, room, meaning) print_row(index, "`" label "`", #room, meaning);
#include "tern/fw/port_counter.def"
    end("port-counters");

    begin("device-counters", "slot | counter | meaning");
#define TERN_DEVICE_COUNTER(name, index, label, meaning) std::printf("| %d | `%s` | %s |\n", index, label, meaning);
#include "tern/fw/device_counter.def"
    end("device-counters");
}

}  // namespace

int main() {
    print_registers();
    print_commands();
    print_codes();
    print_counters();
}
