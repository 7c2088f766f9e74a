#!/bin/bash
# build.sh file
B=/work/main/build/release
g++ -std=c++20 -O2 -g -I$B/rooms/numerics -I$B/rooms/system -I$B/rooms/integrate -I$B/rooms/event -I$B/rooms/simulate -I$B/rooms/problems -I/usr/include/eigen3 -I$B/generated $1.cpp -o $1 $B/src/libpawl_problems.a $B/src/libpawl_simulate.a $B/src/libpawl_event.a $B/src/libpawl_integrate.a $B/src/libpawl_system.a $B/src/libpawl_numerics.a -lfmt
