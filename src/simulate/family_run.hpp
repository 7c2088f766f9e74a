// The route of a model that is a family of contacts (pawl/contact_family.hpp). Its spheres are no vector of
// unknowns that advances by common steps: every one has a time of its own (contact/sphere_crowd.hpp), and all of them
// are brought to one instant where the result is sampled.
#pragma once

#include "contact/sphere_crowd.hpp"
#include "pawl/options.hpp"
#include "pawl/recommendation.hpp"
#include "pawl/result.hpp"

namespace pawl::detail {

/// Every decision about such a run.
struct FamilyPlan {
  std::shared_ptr<const ContactFamilyInfo> family;
  int object = 0;  ///< among what is held: its state
  contact::SphereCrowd::Laws laws;
  Options options;           ///< with the samples that are kept
  bool keeps_fewer = false;  ///< than was asked for: samples, for there are no common steps
};

/// Throws Misuse for what a model with a family cannot have beside it, and for options that mean nothing here.
FamilyPlan plan_family(const System::Declarations& model, const std::vector<double>& parameters,
                       const Options& options);
Recommendation in_words(const FamilyPlan& plan);

Result run_family(const System& system, const Values& values, const Options& options);

}  // namespace pawl::detail
