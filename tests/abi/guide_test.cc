// SPDX-License-Identifier: BSD-2-Clause
// Copyright (c) 2026 The Tern authors
//
// The guide has the bytes that the tests have, all of them and no others, and
// its tables are those of register_map.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "tests/abi/golden_bytes.h"

namespace tern::test {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<std::string> lines_of(std::istream& stream) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> guide() {
    std::ifstream file(TERN_SOURCE_DIR "/docs/hw/programming-guide.md");
    return lines_of(file);
}

// "10  00 a3 x 4  comment": offset, bytes, how often, after two blanks a comment.
void append_line(const std::string& line, Bytes& bytes) {
    const size_t start = line.find("  ");
    ASSERT_NE(start, std::string::npos) << line;
    EXPECT_EQ(std::strtoul(line.c_str(), nullptr, 16), bytes.size()) << line;
    std::istringstream words(line.substr(start + 2, line.find("  ", start + 2) - start - 2));
    Bytes group;
    unsigned long times = 1;
    for (std::string word; words >> word;) {
        if (word == "x") {
            ASSERT_TRUE(words >> times) << line;
            continue;
        }
        char* end = nullptr;
        group.push_back(static_cast<uint8_t>(std::strtoul(word.c_str(), &end, 16)));
        ASSERT_TRUE(word.size() == 2 && *end == '\0') << line;
    }
    for (; times > 0; --times) bytes.insert(bytes.end(), group.begin(), group.end());
}

std::map<std::string, Bytes> blocks_of(const std::vector<std::string>& lines) {
    constexpr std::string_view kFence = "```bytes ";
    std::map<std::string, Bytes> blocks;
    for (size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].starts_with(kFence)) continue;
        Bytes& bytes = blocks[lines[i].substr(kFence.size())];
        for (++i; i < lines.size() && lines[i] != "```"; ++i) append_line(lines[i], bytes);
    }
    return blocks;
}

TEST(Guide, HasTheBytesOfTheTests) {
    auto blocks = blocks_of(guide());
    for (const golden::Example& example : golden::kExamples) {
        const auto block = blocks.find(std::string(example.name));
        ASSERT_NE(block, blocks.end()) << example.name;
        EXPECT_TRUE(std::ranges::equal(block->second, example.bytes)) << example.name;
        blocks.erase(block);
    }
    for (const auto& [name, bytes] : blocks) ADD_FAILURE() << "no test has " << name;
}

// All lines from a begin mark to its end mark, in their order.
std::vector<std::string> tables_of(const std::vector<std::string>& lines) {
    std::vector<std::string> tables;
    bool is_table = false;
    for (const std::string& line : lines) {
        const bool is_mark = line.starts_with("<!-- ") && !line.starts_with("<!-- layout ");
        if (is_mark && line.ends_with(" begin -->")) is_table = true;
        if (is_table) tables.push_back(line);
        if (is_mark && line.ends_with(" end -->")) is_table = false;
    }
    return tables;
}

// Blocks may come in another order than register_map prints them.
std::vector<std::string> sorted_tables(const std::vector<std::string>& lines) {
    std::vector<std::string> tables;
    for (const std::string& line : tables_of(lines)) {
        if (line.ends_with(" begin -->")) tables.emplace_back();
        tables.back() += line + "\n";
    }
    std::ranges::sort(tables);
    return tables;
}

TEST(Guide, HasTheTablesOfTheRows) {
    std::FILE* pipe = popen(TERN_REGISTER_MAP, "r");
    ASSERT_NE(pipe, nullptr);
    std::string text(1 << 16, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), pipe));
    ASSERT_EQ(pclose(pipe), 0);
    std::istringstream stream(text);
    EXPECT_EQ(sorted_tables(guide()), sorted_tables(lines_of(stream)));
}

}  // namespace
}  // namespace tern::test
