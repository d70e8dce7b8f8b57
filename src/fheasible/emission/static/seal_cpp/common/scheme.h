// SEAL's context, with exactly the primes of the parameters, and objects in files.
#pragma once

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include <seal/seal.h>

#include "common/parameters.h"

using Ciphertext = seal::Ciphertext;

inline seal::SEALContext make_context(const Parameters &p) {
    const std::map<std::string, seal::scheme_type> schemes{
        {"bfv", seal::scheme_type::bfv}, {"bgv", seal::scheme_type::bgv}, {"ckks", seal::scheme_type::ckks}};
    const std::map<std::string, seal::sec_level_type> levels{{"null", seal::sec_level_type::none},
                                                             {"128", seal::sec_level_type::tc128},
                                                             {"192", seal::sec_level_type::tc192},
                                                             {"256", seal::sec_level_type::tc256}};
    seal::EncryptionParameters wanted(schemes.at(p.scheme));
    std::vector<seal::Modulus> primes(p.q.begin(), p.q.end());
    primes.insert(primes.end(), p.p.begin(), p.p.end());
    wanted.set_poly_modulus_degree(p.ring_dimension);
    wanted.set_coeff_modulus(primes);
    if (!p.real)
        wanted.set_plain_modulus(p.plain_modulus);
    seal::SEALContext context(wanted, true, levels.at(p.all["security"].text()));
    if (!context.parameters_set())
        throw std::runtime_error(std::string("SEAL refuses the parameters: ") + context.parameter_error_message());
    return context;
}

// SEAL's name of each level.
inline std::map<int, seal::parms_id_type> parms_ids(const seal::SEALContext &context) {
    std::map<int, seal::parms_id_type> found;
    for (auto data = context.first_context_data(); data; data = data->next_context_data())
        found[static_cast<int>(data->chain_index())] = data->parms_id();
    return found;
}

template <class Thing> void save_to(const Thing &thing, const std::string &path) {
    std::ofstream file(path, std::ios::binary);
    thing.save(file);
    if (!file)
        throw std::runtime_error(path + " cannot be written");
}

template <class Thing> Thing load_from(const seal::SEALContext &context, const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error(path + " cannot be read");
    Thing thing;
    thing.load(context, file);
    return thing;
}
