# What tippe view puts into its pages, as arrays of bytes: viewer/ and, where it is installed, three.js (Debian:
# libjs-three). It is found when the build is configured; without it the library builds, and pages are refused.
find_file(TIPPE_THREE_JS three.min.js PATHS /usr/share/javascript/three /usr/share/nodejs/three/build
    PATH_SUFFIXES javascript/three nodejs/three/build share/javascript/three share/nodejs/three/build)
set(viewer_scripts data.js space.js solids.js strokes.js curves.js timeline.js main.js)
list(TRANSFORM viewer_scripts PREPEND ${CMAKE_SOURCE_DIR}/viewer/)
set(viewer_assets ${CMAKE_BINARY_DIR}/viewer_assets.c)
set(viewer_three)
if(TIPPE_THREE_JS)
    set(viewer_three ${TIPPE_THREE_JS})
else()
    message(STATUS "three.js not found (Debian: libjs-three): tippe view will say so")
endif()
add_custom_command(OUTPUT ${viewer_assets} VERBATIM
    DEPENDS ${viewer_scripts} ${viewer_three} ${CMAKE_SOURCE_DIR}/viewer/page.html ${CMAKE_SOURCE_DIR}/viewer/page.css
        ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${viewer_assets} "-Dpage=${CMAKE_SOURCE_DIR}/viewer/page.html"
        "-Dstyle=${CMAKE_SOURCE_DIR}/viewer/page.css" "-Dviewer=${viewer_scripts}" "-Dthree=${viewer_three}"
        -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
