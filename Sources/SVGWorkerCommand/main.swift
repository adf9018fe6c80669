#if SVG
internal import CTesseraSVG

guard tessera_svg_available() else { fatalError("built without librsvg") }
#endif
