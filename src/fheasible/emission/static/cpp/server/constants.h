// The plain vectors of the application, each of which fills all slots, in full precision.
#pragma once

#include <fstream>
#include <string>
#include <vector>

// Little-endian numbers of 8 bytes; none where there is no file.
template <class Number> std::vector<std::vector<Number>> read_constants(const std::string &path, std::size_t slots) {
    static_assert(sizeof(Number) == 8, "numbers of 8 bytes");
    std::vector<std::vector<Number>> found;
    std::ifstream file(path, std::ios::binary);
    std::vector<Number> row(slots);
    while (file.read(reinterpret_cast<char *>(row.data()), static_cast<std::streamsize>(slots * sizeof(Number))))
        found.push_back(row);
    return found;
}
