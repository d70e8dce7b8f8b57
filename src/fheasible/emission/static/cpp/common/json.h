// Reads a JSON document. Numbers are kept as they are written, so that none of them is rounded on the way.
#pragma once

#include <cctype>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace json {

class Value {
public:
    // The member of that name; an error where there is none.
    const Value &operator[](const std::string &name) const {
        for (const auto &member : members_)
            if (member.first == name)
                return member.second;
        throw std::runtime_error("the document has no " + name);
    }

    bool has(const std::string &name) const {
        for (const auto &member : members_)
            if (member.first == name)
                return !member.second.null();
        return false;
    }

    const std::vector<Value> &list() const { return list_; }
    const std::string &text() const { return text_; }
    bool null() const { return text_ == "null" && !quoted_; }
    bool boolean() const { return text_ == "true"; }
    double real() const { return std::stod(text_); }
    std::int64_t integer() const { return std::stoll(text_); }
    std::uint64_t natural() const { return std::stoull(text_); }

    std::vector<double> reals() const {
        std::vector<double> found;
        for (const auto &each : list_)
            found.push_back(each.real());
        return found;
    }

    std::vector<int> integers() const {
        std::vector<int> found;
        for (const auto &each : list_)
            found.push_back(static_cast<int>(each.integer()));
        return found;
    }

    std::vector<std::uint64_t> naturals() const {
        std::vector<std::uint64_t> found;
        for (const auto &each : list_)
            found.push_back(each.natural());
        return found;
    }

private:
    friend class Reader;
    std::string text_; // of a text, a number, true, false or null
    bool quoted_ = false;
    std::vector<Value> list_;
    std::vector<std::pair<std::string, Value>> members_;
};

class Reader {
public:
    explicit Reader(std::string text) : text_(std::move(text)) {}

    Value value() {
        const char first = next();
        if (first == '{')
            return object();
        if (first == '[')
            return list();
        Value found;
        found.quoted_ = first == '"';
        found.text_ = found.quoted_ ? quoted() : word();
        return found;
    }

private:
    Value object() {
        Value found;
        ++at_;
        while (next() != '}') {
            std::string name = quoted();
            expect(':');
            found.members_.emplace_back(std::move(name), value());
            if (next() == ',')
                ++at_;
        }
        ++at_;
        return found;
    }

    Value list() {
        Value found;
        ++at_;
        while (next() != ']') {
            found.list_.push_back(value());
            if (next() == ',')
                ++at_;
        }
        ++at_;
        return found;
    }

    std::string quoted() {
        expect('"');
        std::string found;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\\')
                found += escaped();
            else
                found += text_[at_++];
        }
        expect('"');
        return found;
    }

    std::string escaped() {
        const char kind = text_.at(at_ + 1);
        at_ += 2;
        if (kind != 'u')
            return kind == 'n' ? "\n" : kind == 't' ? "\t" : std::string(1, kind);
        const unsigned long code = std::stoul(text_.substr(at_, 4), nullptr, 16);
        at_ += 4;
        if (code < 0x80)
            return std::string(1, static_cast<char>(code));
        std::string found;
        if (code < 0x800) {
            found += static_cast<char>(0xC0 | (code >> 6));
        } else {
            found += static_cast<char>(0xE0 | (code >> 12));
            found += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        }
        return found + static_cast<char>(0x80 | (code & 0x3F));
    }

    std::string word() {
        std::string found;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                      text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.'))
            found += text_[at_++];
        if (found.empty())
            throw std::runtime_error("the document is no JSON");
        return found;
    }

    char next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
            ++at_;
        return text_.at(at_);
    }

    void expect(char sign) {
        if (next() != sign)
            throw std::runtime_error(std::string("the document has no ") + sign + " where one must be");
        ++at_;
    }

    std::string text_;
    std::size_t at_ = 0;
};

inline Value read(const std::string &path) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error(path + " cannot be read");
    return Reader(std::string(std::istreambuf_iterator<char>(file), {})).value();
}

} // namespace json
