// The parameters as data, and the files by which client and server exchange ciphertexts.
#pragma once

#include <string>
#include <vector>

#include "common/json.h"

// An input that shares ciphertexts with others: element i lies in place start + i * step of their vector. Where it has
// more room, its first elements follow again.
struct Column {
    std::string name, file;
    std::size_t length, start, step, room;
};

// A packed input or output.
struct Vector {
    std::string name, file, padding;
    std::size_t length, ciphertexts;
    std::vector<int> levels;
    bool rounded;
    std::vector<Column> columns;

    std::vector<std::string> files(const std::string &folder) const {
        std::vector<std::string> found;
        for (std::size_t i = 0; i < ciphertexts; ++i)
            found.push_back(folder + "/" + file + "_" + std::to_string(i) + ".bin");
        return found;
    }
};

// Those of parameters.json, which lies in the folder where the program is started.
struct Parameters {
    json::Value all = json::read("parameters.json");
    std::string scheme = all["scheme"].text();
    bool real = scheme == "ckks";
    std::size_t ring_dimension = all["ring_dimension"].natural();
    std::vector<std::uint64_t> q = all["q"].naturals(), p = all["p"].naturals();
    std::uint64_t plain_modulus = real ? 0 : all["plain_modulus"].natural();
    std::vector<double> scales = all["scales"].reals();
    std::size_t slots = all["slots"].natural();
    std::vector<int> rotations = all["rotations"].integers();
    bool relinearizes = all["relinearizes"].boolean(), swaps_rows = all["swaps_rows"].boolean();
    std::vector<Vector> inputs = vectors(all["inputs"]), outputs = vectors(all["outputs"]);

    int top() const { return static_cast<int>(q.size()) - 1; } // level l has l + 1 primes

private:
    static std::vector<Vector> vectors(const json::Value &list) {
        std::vector<Vector> found;
        for (const auto &each : list.list())
            found.push_back({each["name"].text(), each["file"].text(),
                             each.has("padding") ? each["padding"].text() : "", each["length"].natural(),
                             each["ciphertexts"].natural(),
                             each.has("levels") ? each["levels"].integers() : std::vector<int>(),
                             each.has("rounded") && each["rounded"].boolean(),
                             each.has("columns") ? joined(each["columns"]) : std::vector<Column>()});
        return found;
    }

    static std::vector<Column> joined(const json::Value &list) {
        std::vector<Column> found;
        for (const auto &each : list.list())
            found.push_back({each["name"].text(), each["file"].text(), each["length"].natural(),
                             each["start"].natural(), each["step"].natural(), each["room"].natural()});
        return found;
    }
};

// The values again and again until there are `slots` of them.
template <class Number> std::vector<Number> repeated(const std::vector<Number> &values, std::size_t slots) {
    std::vector<Number> found;
    found.reserve(slots);
    while (found.size() < slots)
        found.insert(found.end(), values.begin(), values.end());
    return found;
}
