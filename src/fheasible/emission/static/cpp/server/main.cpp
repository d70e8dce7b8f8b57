// The server evaluates what is in to_server/ and writes to_client/.

#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>

#include "common/parameters.h"
#include "server/evaluate.h"

int main() {
    try {
        const Parameters p;
        Server server(p, "to_server", "server/constants.bin");
        Values inputs;
        for (const auto &vector : p.inputs)
            for (const auto &file : vector.files("to_server"))
                inputs[vector.name].push_back(server.load(file));
        const auto start = std::chrono::steady_clock::now();
        const Values outputs = evaluate(server, std::move(inputs));
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::filesystem::create_directories("to_client");
        for (const auto &vector : p.outputs) {
            const auto files = vector.files("to_client");
            for (std::size_t i = 0; i < files.size(); ++i)
                server.save(outputs.at(vector.name)[i], files[i]);
        }
        std::cout << "evaluated in " << seconds.count() << " s\n";
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
