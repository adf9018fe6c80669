internal import Raster

extension EffectTable {
    /// Corners, border, shadow and reflection, and what is behind it all.
    static let shape: [EffectForm] = [
        EffectForm("circle", "Circle", "Cut out the disc in the middle.") { _ in Effects.Circle() },
        EffectForm(
            "radius", "Corner radius", "Round the corners; four radii count clockwise from the top left.", "radius",
            [
                .number("radius", radii, step: 1, standard: 0), .number("topRight", radii, step: 1, .optional),
                .number("bottomRight", radii, step: 1, .withPrevious),
                .number("bottomLeft", radii, step: 1, .withPrevious),
            ],
            example: "20", advice: "20 or, clockwise from the top left, 20,20,0,0"
        ) {
            let first = $0.number("radius")
            return Effects.CornerRadius(
                topLeft: first, topRight: $0.numberIfWritten("topRight") ?? first,
                bottomLeft: $0.numberIfWritten("bottomLeft") ?? first,
                bottomRight: $0.numberIfWritten("bottomRight") ?? first)
        },
        EffectForm(
            "border", "Border",
            "Draw a line inside the edge. Its corners are those cut by radius or circle, or of a third value.",
            "width,#rrggbb",
            [
                .number("width", 0...1000, step: 1, standard: 0),
                EffectParameter("color", .color, standard: .color(RGBA8(0, 0, 0))),
                .number("radius", radii, step: 1, standard: 0, .optional),
            ],
            example: "2,ffffff", advice: "2,#ffffff or 2,#ffffff,20"
        ) { Effects.Border(color: $0.color, width: $0.number("width"), radius: $0.number("radius")) },
        EffectForm(
            "shadow", "Shadow",
            "Drop a shadow, black unless ,#rrggbbaa says otherwise; ,threeSigma makes room for all of it.", "x,y,blur",
            [
                .number("x", -200...200, step: 1, standard: 0), .number("y", -200...200, step: 1, standard: 0),
                .number("blur", 0...200, step: 1, standard: 0),
                EffectParameter("color", .color, .optional, standard: .color(RGBA8(0, 0, 0))),
                .word("border", standard: Effects.Shadow.Border.compatible),
            ],
            example: "0,4,12,00000080", advice: "0,4,12 or 0,4,12,#00000080"
        ) {
            Effects.Shadow(
                color: $0.color, x: $0.number("x"), y: $0.number("y"), blur: $0.number("blur"),
                border: $0.word("border"))
        },
        EffectForm(
            "reflect", "Reflection",
            "Reflect this part of the height below it, after a gap (0) and with an opacity (1).", "scale,gap,alpha",
            [
                .number("scale", reflections, step: 0.01, standard: 0.5),
                .number("gap", -500...500, step: 1, standard: 0, .optional),
                .number("alpha", 0...1, step: 0.01, standard: 1, .optional),
            ],
            example: "0.5,10,0.25", advice: "0.5 or, with gap and opacity, 0.5,10,0.25"
        ) { Effects.Reflection(scale: $0.number("scale"), gap: $0.number("gap"), alpha: $0.number("alpha")) },
        EffectForm(
            number: "reflected", "Reflection alone", "Make the reflection alone.", "scale", reflections, step: 0.01,
            standard: 0.5, example: "0.5"
        ) { Effects.Reflected(scale: $0) },
        EffectForm(
            "flatten", "Background", "Lay it on a colour, so that nothing is transparent.", "#rrggbb",
            [EffectParameter("color", .color, standard: .color(RGBA8(255, 255, 255)))], example: "ffffff",
            advice: "#ffffff"
        ) { Effects.Flatten(color: $0.color) },
    ]

    private static let radii = 0.0...65535
    private static let reflections = 0.01...1
}
