// The client: `client keys`, `client encrypt`, `client decrypt`. It alone has the secret key.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "client/scheme.h"
#include "client/vectors.h"
#include "common/parameters.h"

// Makes all keys. The secret and the public key stay in client/; the others go to the server.
void make_keys(const Parameters &p) {
    std::filesystem::create_directories("to_server");
    Client(p).make_keys("client", "to_server");
    std::cout << "keys made: client/secret.key stays here; to_server/ is for the server\n";
}

// Encrypts client/data/*.txt into to_server/.
template <class Number> void encrypt(const Parameters &p) {
    Client client(p);
    client.load_public_key("client");
    std::string names;
    for (const auto &vector : p.inputs) {
        const auto rows = packed(given<Number>("client/data", vector), vector, p.slots);
        const auto files = vector.files("to_server");
        for (std::size_t i = 0; i < files.size(); ++i)
            client.save(client.encrypt(rows[i], vector.levels[i]), files[i]);
        names += (names.empty() ? "" : ", ") + vector.name;
    }
    std::cout << "encrypted: " << names << "\n";
}

// Decrypts to_client/ into client/results/*.txt, and compares with client/expected/*.txt.
template <class Number> void decrypt(const Parameters &p) {
    Client client(p);
    client.load_secret_key("client");
    for (const auto &vector : p.outputs) {
        std::vector<Number> slots;
        for (const auto &file : vector.files("to_client")) {
            std::vector<Number> row;
            client.decrypt(client.load(file), row);
            slots.insert(slots.end(), row.begin(), row.end());
        }
        const auto found = unpacked(slots, vector);
        write_numbers("client/results/" + vector.file + ".txt", found);
        std::cout << vector.name << ": " << found.size() << " values in client/results/";
        const std::string expected = "client/expected/" + vector.file + ".txt";
        const auto truth = std::filesystem::exists(expected) ? read_numbers<double>(expected) : std::vector<double>();
        if (truth.size() == found.size()) {
            double largest = 0;
            for (std::size_t i = 0; i < truth.size(); ++i)
                largest = std::max(largest, std::abs(static_cast<double>(found[i]) - truth[i]));
            std::cout << "; the largest difference from the cleartext result is " << largest;
        }
        std::cout << "\n";
    }
}

int main(int count, char **words) {
    const std::string word = count == 2 ? words[1] : "";
    if (word != "keys" && word != "encrypt" && word != "decrypt") {
        std::cerr << "usage: client keys | encrypt | decrypt\n";
        return 2;
    }
    try {
        const Parameters p;
        if (word == "keys")
            make_keys(p);
        else if (word == "encrypt")
            p.real ? encrypt<double>(p) : encrypt<std::int64_t>(p);
        else
            p.real ? decrypt<double>(p) : decrypt<std::int64_t>(p);
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
