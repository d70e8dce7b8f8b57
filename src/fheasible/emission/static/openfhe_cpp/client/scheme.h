// Keys, encryption and decryption with OpenFHE.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "client/vectors.h"
#include "common/scheme.h"

class Client {
public:
    explicit Client(const Parameters &p) : p_(p), context_(make_context(p)) {}

    void make_keys(const std::string &here, const std::string &to_server) {
        const auto pair = context_->KeyGen();
        save_to(pair.secretKey, here + "/secret.key");
        save_to(pair.publicKey, here + "/public.key");
        const bool bootstraps = p_.all["bootstraps"].boolean();
        if (p_.relinearizes || bootstraps)
            context_->EvalMultKeyGen(pair.secretKey);
        if (!p_.rotations.empty())
            context_->EvalRotateKeyGen(pair.secretKey, {p_.rotations.begin(), p_.rotations.end()});
        if (p_.swaps_rows)
            context_->EvalAutomorphismKeyGen(pair.secretKey,
                                             {static_cast<std::uint32_t>(2 * p_.ring_dimension - 1)});
        if (bootstraps) {
            set_up_bootstrap(p_, context_);
            context_->EvalBootstrapKeyGen(pair.secretKey, static_cast<std::uint32_t>(p_.slots));
        }
        const std::string tag = pair.secretKey->GetKeyTag();
        if (p_.relinearizes || bootstraps) {
            std::ofstream file(to_server + "/relinearization.key", std::ios::binary);
            ContextImpl::SerializeEvalMultKey(file, lbcrypto::SerType::BINARY, tag);
        }
        if (!p_.rotations.empty() || p_.swaps_rows || bootstraps) {
            std::ofstream file(to_server + "/rotations.key", std::ios::binary);
            ContextImpl::SerializeEvalAutomorphismKey(file, lbcrypto::SerType::BINARY, tag);
        }
    }

    void load_public_key(const std::string &here) {
        public_ = load_from<lbcrypto::PublicKey<Element>>(here + "/public.key");
    }

    void load_secret_key(const std::string &here) {
        secret_ = load_from<lbcrypto::PrivateKey<Element>>(here + "/secret.key");
    }

    Ciphertext encrypt(const std::vector<double> &row, int level) {
        const auto gone = static_cast<std::uint32_t>(p_.top() - level);
        const auto slots = static_cast<std::uint32_t>(p_.slots);
        return context_->Encrypt(public_, context_->MakeCKKSPackedPlaintext(row, 1, gone, nullptr, slots));
    }

    Ciphertext encrypt(const std::vector<std::int64_t> &row, int level) {
        const auto gone = static_cast<std::uint32_t>(p_.scheme == "bfv" ? 0 : p_.top() - level);
        const auto values = repeated(row, p_.ring_dimension);
        return context_->Encrypt(public_, context_->MakePackedPlaintext(values, 1, gone));
    }

    void decrypt(const Ciphertext &ciphertext, std::vector<double> &slots) {
        slots = decrypted(ciphertext)->GetRealPackedValue();
    }

    void decrypt(const Ciphertext &ciphertext, std::vector<std::int64_t> &slots) {
        slots = decrypted(ciphertext)->GetPackedValue();
    }

    void save(const Ciphertext &ciphertext, const std::string &path) { save_to(ciphertext, path); }
    Ciphertext load(const std::string &path) { return load_from<Ciphertext>(path); }

private:
    lbcrypto::Plaintext decrypted(const Ciphertext &ciphertext) {
        lbcrypto::Plaintext plain;
        context_->Decrypt(secret_, ciphertext, &plain);
        plain->SetLength(p_.slots);
        return plain;
    }

    const Parameters &p_;
    Context context_;
    lbcrypto::PublicKey<Element> public_;
    lbcrypto::PrivateKey<Element> secret_;
};
