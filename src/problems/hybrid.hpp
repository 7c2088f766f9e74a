// The problems of the catalogue with events. One file each, or one for close relatives.
#pragma once

#include "problems/catalogue.hpp"

namespace pawl::problems {

// bok.cpp: Birta, Oren and Kettenis, as run by Compere
Problem bok_1();
Problem bok_2();
Problem bok_3();
// square_wave.cpp, friction.cpp, rectifier.cpp: Carver, as run by Compere and by Mao and Petzold
Problem carver_1();
Problem carver_2();
Problem carver_3();
Problem square_wave();
Problem friction();
Problem relay();
// balls.cpp
Problem balls_spring();
Problem balls_restitution();
Problem marble_jar();
// bouncing_ball.cpp
Problem bouncing_ball();
Problem bouncing_ball_fmi();
Problem coulomb_oscillator();
Problem rlcd();
Problem event_cascade();
Problem log_roots();
// driven_rc.cpp: a model with an input
Problem driven_rc();

}  // namespace pawl::problems
