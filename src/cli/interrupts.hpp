// Ctrl-C: a run ends in order where it can, and within a second where it cannot.
//
// A run asks goes_on() after every step, and ends with what it has once that is false. Set-ups, searches for events and
// steps that do not end never ask: three quarters of a second after the interrupt a timer ends the program instead.
// Where steps are slow by nature it says so and waits twice as long as the slowest has taken, because hours may be at
// stake; a second interrupt ends everything at once.
#pragma once

namespace pawl::cli {

/// From here on SIGINT and SIGTERM are heard like this.
void catch_interrupts();

/// A run begins: what has passed since the last one asked is no step.
void begin_steps();

/// Asked where a run can be ended in order: false once it was interrupted.
bool goes_on();

}  // namespace pawl::cli
