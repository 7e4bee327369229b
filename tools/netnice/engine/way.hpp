// SPDX-License-Identifier: MIT
// way: the two directions of traffic, as the held programs see them.
#pragma once

namespace netnice {

enum class Way { up, down };
inline constexpr Way kWays[] = {Way::up, Way::down};

}  // namespace netnice
