// The application.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/operations.h"

using Values = std::map<std::string, std::vector<Ciphertext>>;

// The ciphertexts of each output, by name.
Values evaluate(Server &s, Values inputs);
