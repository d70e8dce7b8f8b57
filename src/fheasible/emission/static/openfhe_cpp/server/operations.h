// What the evaluation needs of OpenFHE: its context, which holds the keys, and plain operands.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "common/scheme.h"
#include "server/constants.h"

class Server {
public:
    Server(const Parameters &p, const std::string &folder, const std::string &constants)
        : context(make_context(p)), p_(p), automatic_(p.all["automatic"].boolean()) {
        if (p.real)
            real_constants = read_constants<double>(constants, p.slots);
        else
            integer_constants = read_constants<std::int64_t>(constants, p.slots);
        std::ifstream relinearization(folder + "/relinearization.key", std::ios::binary);
        if (relinearization && !ContextImpl::DeserializeEvalMultKey(relinearization, lbcrypto::SerType::BINARY))
            throw std::runtime_error("relinearization.key cannot be read");
        std::ifstream rotations(folder + "/rotations.key", std::ios::binary);
        if (rotations && !ContextImpl::DeserializeEvalAutomorphismKey(rotations, lbcrypto::SerType::BINARY))
            throw std::runtime_error("rotations.key cannot be read");
        if (p.all["bootstraps"].boolean())
            set_up_bootstrap(p, context);
    }

    Context context; // the client's: keys and ciphertexts that are read belong to it
    std::vector<std::vector<double>> real_constants;
    std::vector<std::vector<std::int64_t>> integer_constants;

    Ciphertext load(const std::string &path) { return load_from<Ciphertext>(path); }
    void save(const Ciphertext &ciphertext, const std::string &path) { save_to(ciphertext, path); }

    // `x` without the limbs above that level; CKKS keeps the scale.
    Ciphertext drop(const Ciphertext &x, int level) {
        const auto gone = static_cast<std::size_t>(p_.top() - level) - x->GetLevel();
        return context->LevelReduce(x, nullptr, gone);
    }

    // `x` rotated by its digits, which several rotations share.
    template <class Digits> Ciphertext turn(const Ciphertext &x, int steps, const Digits &digits) {
        return context->EvalFastRotation(x, static_cast<std::uint32_t>(steps), context->GetCyclotomicOrder(), digits);
    }

    // The two rows exchanged, by X -> X^-1.
    Ciphertext swap_rows(const Ciphertext &x) {
        const auto index = static_cast<std::uint32_t>(2 * p_.ring_dimension - 1);
        return context->EvalAutomorphism(x, index, ContextImpl::GetEvalAutomorphismKeyMap(x->GetKeyTag()));
    }

    Ciphertext add_vector(const Ciphertext &x, const std::vector<double> &values) {
        auto plain = encoded(values, x->GetNoiseScaleDeg(), level_of(x));
        return context->EvalAdd(x, plain);
    }
    Ciphertext multiply_vector(const Ciphertext &x, const std::vector<double> &values) {
        auto plain = encoded(values, 1, factor_level(x));
        return context->EvalMult(x, plain);
    }
    // `values`: a number, or a vector of them
    template <class Values> Ciphertext add_integers(const Ciphertext &x, const Values &values) {
        auto plain = encoded(values, x->GetNoiseScaleDeg(), level_of(x));
        return context->EvalAdd(x, plain);
    }
    template <class Values> Ciphertext multiply_integers(const Ciphertext &x, const Values &values) {
        auto plain = encoded(values, 1, factor_level(x));
        return context->EvalMult(x, plain);
    }

    Ciphertext bootstrap(const Ciphertext &x, int level) {
        const auto &own = p_.all["openfhe"]["bootstrap"];
        Ciphertext made = context->EvalBootstrap(x, static_cast<std::uint32_t>(own["iterations"].natural()),
                                                 static_cast<std::uint32_t>(own["iteration_bits"].natural()));
        if (made->GetNoiseScaleDeg() == 1)
            return made;
        return automatic_ ? context->Compress(made, static_cast<std::uint32_t>(level + 1)) : context->ModReduce(made);
    }

    // Frees what nothing needs any more.
    template <class... Some> void release(Some &...values) { (values.reset(), ...); }

private:
    static std::uint32_t level_of(const Ciphertext &x) { return static_cast<std::uint32_t>(x->GetLevel()); }

    // Where a factor of `x` belongs: the automatic techniques first rescale what has degree 2.
    std::uint32_t factor_level(const Ciphertext &x) const {
        return level_of(x) + (automatic_ ? static_cast<std::uint32_t>(x->GetNoiseScaleDeg() - 1) : 0);
    }

    // The plaintext at the level and degree of the other operand, so that nothing has to be aligned.
    lbcrypto::Plaintext encoded(const std::vector<double> &values, std::size_t degree, std::uint32_t level) {
        const auto slots = static_cast<std::uint32_t>(p_.slots);
        return context->MakeCKKSPackedPlaintext(values, degree, level, nullptr, slots);
    }
    lbcrypto::Plaintext encoded(const std::vector<std::int64_t> &values, std::size_t degree, std::uint32_t level) {
        return context->MakePackedPlaintext(repeated(values, p_.ring_dimension), degree, level);
    }
    lbcrypto::Plaintext encoded(std::int64_t value, std::size_t degree, std::uint32_t level) {
        return context->MakePackedPlaintext(std::vector<std::int64_t>(p_.ring_dimension, value), degree, level);
    }

    const Parameters &p_;
    bool automatic_;
};
