// What the evaluation needs of SEAL: its operations as functions of values, with plain operands at the right level.
#pragma once

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/scheme.h"
#include "server/constants.h"

class Server {
public:
    Server(const Parameters &p, const std::string &folder, const std::string &constants)
        : p_(p), context_(make_context(p)), evaluator_(context_), levels_(parms_ids(context_)) {
        if (p.real) {
            ckks_ = std::make_unique<seal::CKKSEncoder>(context_);
            real_constants = read_constants<double>(constants, p.slots);
        } else {
            batch_ = std::make_unique<seal::BatchEncoder>(context_);
            integer_constants = read_constants<std::int64_t>(constants, p.slots);
        }
        if (std::filesystem::exists(folder + "/relinearization.key"))
            relinearization_ = load_from<seal::RelinKeys>(context_, folder + "/relinearization.key");
        if (std::filesystem::exists(folder + "/rotations.key"))
            rotations_ = load_from<seal::GaloisKeys>(context_, folder + "/rotations.key");
    }

    std::vector<std::vector<double>> real_constants;
    std::vector<std::vector<std::int64_t>> integer_constants;

    Ciphertext load(const std::string &path) { return load_from<Ciphertext>(context_, path); }
    void save(const Ciphertext &ciphertext, const std::string &path) { save_to(ciphertext, path); }

    Ciphertext add(const Ciphertext &x, const Ciphertext &y) {
        return made([&](Ciphertext &out) { evaluator_.add(x, y, out); });
    }
    Ciphertext sub(const Ciphertext &x, const Ciphertext &y) {
        return made([&](Ciphertext &out) { evaluator_.sub(x, y, out); });
    }
    Ciphertext negate(const Ciphertext &x) {
        return made([&](Ciphertext &out) { evaluator_.negate(x, out); });
    }
    Ciphertext multiply(const Ciphertext &x, const Ciphertext &y) {
        return made([&](Ciphertext &out) { evaluator_.multiply(x, y, out); });
    }
    Ciphertext square(const Ciphertext &x) {
        return made([&](Ciphertext &out) { evaluator_.square(x, out); });
    }
    Ciphertext relinearize(const Ciphertext &x) {
        return made([&](Ciphertext &out) { evaluator_.relinearize(x, relinearization_, out); });
    }
    Ciphertext drop(const Ciphertext &x, int level) {
        return made([&](Ciphertext &out) { evaluator_.mod_switch_to(x, levels_.at(level), out); });
    }
    Ciphertext rotate(const Ciphertext &x, int steps) {
        return made([&](Ciphertext &out) {
            p_.real ? evaluator_.rotate_vector(x, steps, rotations_, out)
                    : evaluator_.rotate_rows(x, steps, rotations_, out);
        });
    }
    Ciphertext swap_rows(const Ciphertext &x) {
        return made([&](Ciphertext &out) { evaluator_.rotate_columns(x, rotations_, out); });
    }

    // -- CKKS: every level has a scale of its own, and a product the square of its level's scale

    Ciphertext rescale(const Ciphertext &x, int level) {
        if (!p_.real)
            return made([&](Ciphertext &out) { evaluator_.mod_switch_to_next(x, out); });
        return at(made([&](Ciphertext &out) { evaluator_.rescale_to_next(x, out); }), scale(level));
    }
    // `values`: a number, or a vector of them
    template <class Values> Ciphertext add_real(const Ciphertext &x, const Values &values, int level) {
        return added(x, encoded(values, x.scale(), level));
    }
    template <class Values> Ciphertext multiply_real(const Ciphertext &x, const Values &values, int level) {
        const double square = scale(level) * scale(level);
        return at(multiplied(x, encoded(values, square / x.scale(), level)), square);
    }

    // -- BGV and BFV

    template <class Values> Ciphertext add_integer(const Ciphertext &x, const Values &values) {
        return added(x, encoded(values));
    }
    template <class Values> Ciphertext multiply_integer(const Ciphertext &x, const Values &values) {
        return multiplied(x, encoded(values));
    }

    // Frees what nothing needs any more.
    template <class... Some> void release(Some &...values) { (values.release(), ...); }

private:
    template <class Write> Ciphertext made(Write write) {
        Ciphertext out;
        write(out);
        return out;
    }
    Ciphertext added(const Ciphertext &x, const seal::Plaintext &plain) {
        return made([&](Ciphertext &out) { evaluator_.add_plain(x, plain, out); });
    }
    Ciphertext multiplied(const Ciphertext &x, const seal::Plaintext &plain) {
        return made([&](Ciphertext &out) { evaluator_.multiply_plain(x, plain, out); });
    }

    double scale(int level) const { return p_.scales.at(static_cast<std::size_t>(level)); }

    // `x` with that scale, if its own differs from it by rounding alone
    static Ciphertext at(Ciphertext x, double scale) {
        constexpr double rounding = 1e-9;
        if (std::abs(x.scale() - scale) <= rounding * scale)
            x.scale() = scale;
        return x;
    }

    seal::Plaintext encoded(double value, double scale, int level) {
        seal::Plaintext plain;
        ckks_->encode(value, levels_.at(level), scale, plain);
        return plain;
    }
    seal::Plaintext encoded(const std::vector<double> &values, double scale, int level) {
        seal::Plaintext plain;
        ckks_->encode(repeated(values, p_.ring_dimension / 2), levels_.at(level), scale, plain);
        return plain;
    }
    // the constant polynomial: the same number in every slot
    seal::Plaintext encoded(std::int64_t value) {
        const auto t = static_cast<std::int64_t>(p_.plain_modulus);
        seal::Plaintext plain(1);
        plain[0] = static_cast<std::uint64_t>(((value % t) + t) % t);
        return plain;
    }
    seal::Plaintext encoded(const std::vector<std::int64_t> &values) {
        seal::Plaintext plain;
        batch_->encode(repeated(values, p_.ring_dimension), plain);
        return plain;
    }

    const Parameters &p_;
    seal::SEALContext context_;
    seal::Evaluator evaluator_;
    std::map<int, seal::parms_id_type> levels_;
    seal::RelinKeys relinearization_;
    seal::GaloisKeys rotations_;
    std::unique_ptr<seal::CKKSEncoder> ckks_;
    std::unique_ptr<seal::BatchEncoder> batch_;
};
