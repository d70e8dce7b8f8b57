// Keys, encryption and decryption with SEAL.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/vectors.h"
#include "common/scheme.h"

class Client {
public:
    explicit Client(const Parameters &p) : p_(p), context_(make_context(p)), levels_(parms_ids(context_)) {
        if (p.real)
            ckks_ = std::make_unique<seal::CKKSEncoder>(context_);
        else
            batch_ = std::make_unique<seal::BatchEncoder>(context_);
    }

    void make_keys(const std::string &here, const std::string &to_server) {
        seal::KeyGenerator generator(context_);
        save_to(generator.secret_key(), here + "/secret.key");
        save_to(generator.create_public_key(), here + "/public.key");
        if (p_.relinearizes)
            save_to(generator.create_relin_keys(), to_server + "/relinearization.key");
        std::vector<int> steps = p_.rotations;
        if (p_.swaps_rows)
            steps.push_back(0); // SEAL's name of the swap
        if (!steps.empty())
            save_to(generator.create_galois_keys(steps), to_server + "/rotations.key");
    }

    void load_public_key(const std::string &here) {
        const auto key = load_from<seal::PublicKey>(context_, here + "/public.key");
        encryptor_ = std::make_unique<seal::Encryptor>(context_, key);
    }

    void load_secret_key(const std::string &here) {
        const auto key = load_from<seal::SecretKey>(context_, here + "/secret.key");
        decryptor_ = std::make_unique<seal::Decryptor>(context_, key);
    }

    Ciphertext encrypt(const std::vector<double> &row, int level) {
        seal::Plaintext plain;
        const auto values = repeated(row, p_.ring_dimension / 2);
        ckks_->encode(values, levels_.at(level), p_.scales.at(static_cast<std::size_t>(level)), plain);
        return encrypted(plain);
    }

    Ciphertext encrypt(const std::vector<std::int64_t> &row, int level) {
        seal::Plaintext plain;
        batch_->encode(repeated(row, p_.ring_dimension), plain);
        Ciphertext fresh = encrypted(plain);
        if (p_.scheme == "bgv" && level != p_.top())
            seal::Evaluator(context_).mod_switch_to_inplace(fresh, levels_.at(level));
        return fresh;
    }

    void decrypt(const Ciphertext &ciphertext, std::vector<double> &slots) {
        seal::Plaintext plain;
        decryptor_->decrypt(ciphertext, plain);
        std::vector<double> copies;
        ckks_->decode(plain, copies);
        slots = averaged(copies, p_.slots);
    }

    void decrypt(const Ciphertext &ciphertext, std::vector<std::int64_t> &slots) {
        seal::Plaintext plain;
        decryptor_->decrypt(ciphertext, plain);
        batch_->decode(plain, slots);
        slots.resize(p_.slots);
    }

    void save(const Ciphertext &ciphertext, const std::string &path) { save_to(ciphertext, path); }
    Ciphertext load(const std::string &path) { return load_from<Ciphertext>(context_, path); }

private:
    Ciphertext encrypted(const seal::Plaintext &plain) {
        Ciphertext fresh;
        encryptor_->encrypt(plain, fresh);
        return fresh;
    }

    const Parameters &p_;
    seal::SEALContext context_;
    std::map<int, seal::parms_id_type> levels_;
    std::unique_ptr<seal::CKKSEncoder> ckks_;
    std::unique_ptr<seal::BatchEncoder> batch_;
    std::unique_ptr<seal::Encryptor> encryptor_;
    std::unique_ptr<seal::Decryptor> decryptor_;
};
