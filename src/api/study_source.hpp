// Models for studies: read again with other values of their numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/load.hpp"
#include "study/setting.hpp"

namespace flexloop::api {

// A name without a dot is a parameter; with dots it is the path of a value.
ModelSource withSettings(ModelSource source, const study::Settings& settings);

// The source must outlive it.
study::ModelMaker makeModelMaker(const ModelSource& source);

// How many points of a study are computed at once. Black boxes from libraries may have variables that all of their
// copies share, so models with them go point by point. Throws base::InputError.
int readThreads(const std::optional<int>& jobs, const model::Model& model);

// The value that the model has. Throws base::InputError where there is none, or where it is no number.
study::Setting findSetting(const model::Model& model, const std::string& name, const char* option);

// All parameters of the model, and the values at these paths.
study::Settings findSettings(const model::Model& model, const std::vector<std::string>& paths);

}  // namespace flexloop::api
