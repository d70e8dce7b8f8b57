// OpenFHE's context, from the same settings on both sides, and objects in files.
//
// OpenFHE counts the limbs that are gone; the parameters' levels count those that are left, less one.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ciphertext-ser.h"
#include "cryptocontext-ser.h"
#include "key/key-ser.h"
#include "openfhe.h"
#include "scheme/bfvrns/bfvrns-ser.h"
#include "scheme/bgvrns/bgvrns-ser.h"
#include "scheme/ckksrns/ckksrns-ser.h"

#include "common/parameters.h"

using Element = lbcrypto::DCRTPoly;
using Context = lbcrypto::CryptoContext<Element>;
using Ciphertext = lbcrypto::Ciphertext<Element>;
using ContextImpl = lbcrypto::CryptoContextImpl<Element>;

inline lbcrypto::SecurityLevel security(const json::Value &asked) {
    if (!asked.has("security"))
        return lbcrypto::HEStd_NotSet;
    const std::map<std::string, lbcrypto::SecurityLevel> classic{{"128", lbcrypto::HEStd_128_classic},
                                                                 {"192", lbcrypto::HEStd_192_classic},
                                                                 {"256", lbcrypto::HEStd_256_classic}};
    const std::map<std::string, lbcrypto::SecurityLevel> quantum{{"128", lbcrypto::HEStd_128_quantum},
                                                                 {"192", lbcrypto::HEStd_192_quantum},
                                                                 {"256", lbcrypto::HEStd_256_quantum}};
    return (asked["quantum"].boolean() ? quantum : classic).at(asked["security"].text());
}

template <class Scheme> Context context_of(const json::Value &asked) {
    lbcrypto::CCParams<Scheme> wanted;
    const auto number = [&](const char *name, auto set) {
        if (asked.has(name))
            set(asked[name].natural());
    };
    const std::map<std::string, lbcrypto::ScalingTechnique> techniques{
        {"fixedmanual", lbcrypto::FIXEDMANUAL},
        {"fixedauto", lbcrypto::FIXEDAUTO},
        {"flexibleauto", lbcrypto::FLEXIBLEAUTO},
        {"flexibleautoext", lbcrypto::FLEXIBLEAUTOEXT}};
    const std::map<std::string, lbcrypto::KeySwitchTechnique> switchings{{"bv", lbcrypto::BV},
                                                                         {"hybrid", lbcrypto::HYBRID}};
    const std::map<std::string, lbcrypto::SecretKeyDist> secrets{
        {"gaussian", lbcrypto::GAUSSIAN},
        {"uniform_ternary", lbcrypto::UNIFORM_TERNARY},
        {"sparse_ternary", lbcrypto::SPARSE_TERNARY},
        {"sparse_encapsulated", lbcrypto::SPARSE_ENCAPSULATED}};
    number("depth", [&](auto value) { wanted.SetMultiplicativeDepth(value); });
    number("ring_dimension", [&](auto value) { wanted.SetRingDim(value); });
    number("scale_bits", [&](auto value) { wanted.SetScalingModSize(value); });
    number("first_bits", [&](auto value) { wanted.SetFirstModSize(value); });
    number("plain_modulus", [&](auto value) { wanted.SetPlaintextModulus(value); });
    number("batch", [&](auto value) { wanted.SetBatchSize(value); });
    number("digits", [&](auto value) { wanted.SetNumLargeDigits(value); });
    number("digit_size", [&](auto value) { wanted.SetDigitSize(value); });
    number("eval_add_count", [&](auto value) { wanted.SetEvalAddCount(value); });
    number("key_switch_count", [&](auto value) { wanted.SetKeySwitchCount(value); });
    if (asked.has("technique"))
        wanted.SetScalingTechnique(techniques.at(asked["technique"].text()));
    if (asked.has("key_switching"))
        wanted.SetKeySwitchTechnique(switchings.at(asked["key_switching"].text()));
    if (asked.has("secret"))
        wanted.SetSecretKeyDist(secrets.at(asked["secret"].text()));
    wanted.SetSecurityLevel(security(asked));
    if (asked.has("noise_estimate")) { // decryption adds noise that drowns 2^noise_estimate
        wanted.SetDecryptionNoiseMode(lbcrypto::NOISE_FLOODING_DECRYPT);
        wanted.SetExecutionMode(lbcrypto::EXEC_EVALUATION);
        wanted.SetNoiseEstimate(asked["noise_estimate"].real());
    }
    return lbcrypto::GenCryptoContext(wanted);
}

// The context, which client and server make alike.
inline Context make_context(const Parameters &p) {
    const auto &asked = p.all["openfhe"];
    Context context = p.real                ? context_of<lbcrypto::CryptoContextCKKSRNS>(asked)
                      : p.scheme == "bgv" ? context_of<lbcrypto::CryptoContextBGVRNS>(asked)
                                            : context_of<lbcrypto::CryptoContextBFVRNS>(asked);
    for (const auto feature :
         {lbcrypto::PKE, lbcrypto::KEYSWITCH, lbcrypto::LEVELEDSHE, lbcrypto::ADVANCEDSHE})
        context->Enable(feature);
    if (asked.has("bootstrap"))
        context->Enable(lbcrypto::FHE);
    if (context->GetRingDimension() != p.ring_dimension)
        throw std::runtime_error("OpenFHE chose another ring dimension: is it another version?");
    return context;
}

inline void set_up_bootstrap(const Parameters &p, const Context &context) {
    const auto &own = p.all["openfhe"]["bootstrap"];
    std::vector<std::uint32_t> budget;
    for (const auto each : own["budget"].integers())
        budget.push_back(static_cast<std::uint32_t>(each));
    const auto slots = own["slots"].natural() ? own["slots"].natural() : p.ring_dimension / 2;
    context->EvalBootstrapSetup(budget, {0, 0}, static_cast<std::uint32_t>(slots),
                                static_cast<std::uint32_t>(own["correction"].natural()));
}

template <class Thing> void save_to(const Thing &thing, const std::string &path) {
    if (!lbcrypto::Serial::SerializeToFile(path, thing, lbcrypto::SerType::BINARY))
        throw std::runtime_error(path + " cannot be written");
}

template <class Thing> Thing load_from(const std::string &path) {
    Thing thing;
    if (!lbcrypto::Serial::DeserializeFromFile(path, thing, lbcrypto::SerType::BINARY))
        throw std::runtime_error(path + " cannot be read");
    return thing;
}
