// The names of users and groups by their numbers, as the machine knows them. Each number is looked
// up once. Belongs to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pmdex {

class AccountNames {
 public:
  // Empty where the machine has no name. The views are valid as long as the object.
  std::string_view User(uint32_t uid);
  std::string_view Group(uint32_t gid);

 private:
  std::unordered_map<uint32_t, std::string> users_;
  std::unordered_map<uint32_t, std::string> groups_;
};

}  // namespace pmdex
