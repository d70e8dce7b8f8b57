// Vectors as rows of slots and back, and as text files with one number on each line.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/parameters.h"

inline void parse(const std::string &text, double &number) { number = std::stod(text); }
inline void parse(const std::string &text, std::int64_t &number) { number = std::stoll(text); }

inline std::string text_of(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", number);
    return text;
}
inline std::string text_of(std::int64_t number) { return std::to_string(number); }

template <class Number> std::vector<Number> read_numbers(const std::string &path) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error(path + " cannot be read");
    std::vector<Number> found;
    for (std::string word; file >> word;)
        parse(word, found.emplace_back());
    return found;
}

inline void check_length(const std::string &name, std::size_t given, std::size_t length) {
    if (given != length)
        throw std::runtime_error(name + " has " + std::to_string(given) + " elements; it takes " +
                                 std::to_string(length));
}

// The elements of an input: those of its file, or of several that share its ciphertexts.
template <class Number> std::vector<Number> given(const std::string &folder, const Vector &vector) {
    if (vector.columns.empty())
        return read_numbers<Number>(folder + "/" + vector.file + ".txt");
    std::vector<Number> joined(vector.length);
    for (const auto &column : vector.columns) {
        const auto values = read_numbers<Number>(folder + "/" + column.file + ".txt");
        check_length(column.name, values.size(), column.length);
        for (std::size_t i = 0; i < column.room; ++i)
            joined[column.start + i * column.step] = values[i % values.size()];
    }
    return joined;
}

template <class Number> void write_numbers(const std::string &path, const std::vector<Number> &numbers) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream file(path);
    for (const auto &number : numbers)
        file << text_of(number) << "\n";
}

// One row of slots for each ciphertext. Slots beyond the end hold what the parameters say: zeros, or the first
// elements again.
template <class Number>
std::vector<std::vector<Number>> packed(const std::vector<Number> &values, const Vector &vector, std::size_t slots) {
    check_length(vector.name, values.size(), vector.length);
    std::vector<std::vector<Number>> rows(vector.ciphertexts, std::vector<Number>(slots));
    const bool repeats = vector.padding == "repeat";
    for (std::size_t i = 0; i < vector.ciphertexts * slots; ++i)
        if (i < values.size() || repeats)
            rows[i / slots][i % slots] = values[i % values.size()];
    return rows;
}

// The vector in slots. A single real number lies in every slot, each with an error of its own.
inline std::vector<double> unpacked(const std::vector<double> &slots, const Vector &vector) {
    std::vector<double> found(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(vector.length));
    if (vector.length == 1) {
        double sum = 0;
        for (const double value : slots)
            sum += value;
        found[0] = sum / static_cast<double>(slots.size());
    }
    if (vector.rounded)
        for (auto &value : found)
            value = std::round(value);
    return found;
}

inline std::vector<std::int64_t> unpacked(const std::vector<std::int64_t> &slots, const Vector &vector) {
    return {slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(vector.length)};
}

// The mean of the copies of a vector that fill the ring.
inline std::vector<double> averaged(const std::vector<double> &copies, std::size_t slots) {
    std::vector<double> found(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(slots));
    std::vector<double> others(slots);
    for (std::size_t i = slots; i < copies.size(); ++i)
        others[i % slots] += copies[i] - found[i % slots];
    for (std::size_t i = 0; i < slots; ++i)
        found[i] += others[i] * static_cast<double>(slots) / static_cast<double>(copies.size());
    return found;
}
