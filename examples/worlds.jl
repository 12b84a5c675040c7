# SPDX-License-Identifier: MIT
# The shared library from Julia, without any package: julia examples/worlds.jl build/libtact.so SCENE [STEPS]
using Libdl

function main(library, scene, steps)
    tact = dlopen(abspath(library))
    find(name) = dlsym(tact, name)
    ccall(find(:tact_real_size), Cint, ()) == 8 || error("a library in single precision")

    count = 4
    coordinates = 0  # TACT_WORLDS_Q
    message = zeros(UInt8, 1300)
    worlds = ccall(find(:tact_worlds_open), Ptr{Cvoid}, (Cstring, Cint, Cint, Ptr{UInt8}, Csize_t),
                   scene, count, 0, message, length(message))
    worlds == C_NULL && error(String(message[1:findfirst(iszero, message)-1]))
    nq = ccall(find(:tact_worlds_nq), Cint, (Ptr{Cvoid},), worlds)

    status = zeros(Cint, count)
    ccall(find(:tact_worlds_step), Cint, (Ptr{Cvoid}, Ptr{Float64}, Ptr{Float64}, Cint, Ptr{Cint}),
          worlds, C_NULL, C_NULL, steps, status)

    # a view of the states: the coordinates of one world lie side by side, worlds stride bytes apart
    stride = Ref{Cptrdiff_t}(0)
    first = ccall(find(:tact_worlds_view), Ptr{Float64}, (Ptr{Cvoid}, Cint, Ref{Cptrdiff_t}), worlds, coordinates, stride)
    println(join(unsafe_wrap(Array, first + (count - 1) * stride[], Int(nq)), " "))
    ccall(find(:tact_worlds_close), Cvoid, (Ptr{Cvoid},), worlds)
end

main(ARGS[1], ARGS[2], length(ARGS) > 2 ? parse(Int, ARGS[3]) : 100)
