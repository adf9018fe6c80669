internal import Raster

/// The written form of all effects, in the default order of application: geometry; colours and layers; corners, border,
/// shadow and reflection, as in `FXImageView`.
package enum EffectTable {
    /// The definitions of all effects.
    package static let definitions: [EffectDefinition] = geometry + colors + layers + shape

    private static let places: [String: Int] = Dictionary(
        uniqueKeysWithValues: definitions.enumerated().map { ($1.name, $0) })

    /// The effect with a name.
    package static subscript(name: String) -> EffectDefinition? { places[name].map { definitions[$0] } }

    /// The position of an effect in the order, from 0.
    package static func place(of definition: EffectDefinition) -> Int { places[definition.name] ?? definitions.count }

    /// `written` in the table's order; effects of the same kind keep theirs.
    package static func ordered(_ written: [EffectCall]) -> [EffectCall] {
        written.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
    }

    // MARK: Ranges

    /// The sides of images, in units of length.
    static let sides = 1.0...65535
    /// Distances from an edge, in units of length.
    static let offsets = -65535.0...65535
}

extension EffectCall {
    fileprivate var place: Int { EffectTable.place(of: definition) }
}

extension EffectTable {
    /// Effects that change the geometry.
    static let geometry: [EffectDefinition] = [
        EffectDefinition(
            number: "trim", "Trim",
            "Cut off borders of one colour, from which channels differ by at most this, 0 to 1.",
            "tolerance", 0...1, step: 0.01, standard: 0, example: "0.05"
        ) { Effects.Trim(tolerance: $0) },
        EffectDefinition(
            "crop", "Crop",
            "Cut out a rectangle, whose place counts from the top left or ,south and the like. Where it reaches beyond the "
                + "picture, it is transparent, or ,clamped or ,intersected.",
            "x,y,w,h",
            [
                .number("x", offsets, step: 1, standard: 0), .number("y", offsets, step: 1, standard: 0),
                .number("width", sides, step: 1), .number("height", sides, step: 1),
                .word("outside", standard: Effects.Crop.Outside.transparent), gravity(.northwest),
            ],
            example: "40,30,200,100", advice: "40,30,200,100 or 40,30,200,100,clamped or 0,0,200,100,center"
        ) {
            Effects.Crop(
                x: $0.number("x"), y: $0.number("y"), width: $0.number("width"), height: $0.number("height"),
                outside: $0.word("outside"), gravity: $0.word("gravity"))
        },
        EffectDefinition(size: "fit", "Fit", "Scale up or down to fit within a size.", example: "400x300") {
            Effects.ScaleToFit(width: $0, height: $1)
        },
        EffectDefinition(
            size: "fill", "Fill", "Scale up or down to fill a size, and cut off what is more, centred.",
            example: "400x300"
        ) { Effects.ScaleToFill(width: $0, height: $1) },
        EffectDefinition(
            size: "cover", "Cover", "Scale up or down to cover a size, and keep what is more.", example: "400x300"
        ) { Effects.Cover(width: $0, height: $1) },
        EffectDefinition(size: "scale", "Stretch", "Stretch to a size.", example: "400x300") {
            Effects.Scale(width: $0, height: $1)
        },
        EffectDefinition(
            "size", "Size by content mode",
            "Crop and scale to a view's size by a content mode, aspectFit unless said otherwise; ,pad fills up what the "
                + "picture leaves free.",
            "WxH,mode,pad",
            [
                EffectParameter("size", .size(sides)), .word("mode", standard: ContentMode.aspectFit),
                EffectParameter("pad", .word(["pad"]), .optional),
            ],
            example: "224x186,aspectFill", advice: "a width and a height, as in 400x300"
        ) {
            Effects.CropAndScale(
                width: $0.size.width, height: $0.size.height, contentMode: $0.word("mode"),
                padToFit: $0.values["pad"] != nil)
        },
        EffectDefinition(
            "smart-crop", "Smart crop",
            "Scale to cover a size and cut out the most salient part; ,entropy looks for detail alone.", "WxH",
            [
                EffectParameter("size", .size(sides)),
                .word("strategy", standard: Effects.SmartCrop.Strategy.attention),
            ],
            example: "300x300", advice: "300x300 or 300x300,entropy"
        ) { Effects.SmartCrop(width: $0.size.width, height: $0.size.height, strategy: $0.word("strategy")) },
        EffectDefinition(
            "flip", "Flip", "Mirror: horizontal (left and right) or vertical.", "axis",
            [EffectParameter("axis", .word(Effects.Flip.Direction.allCases.map(\.rawValue)))], example: "horizontal",
            advice: "horizontal or vertical"
        ) { Effects.Flip($0.word("axis")) },
        EffectDefinition(
            number: "rotate", "Rotate", "Turn clockwise, on a canvas that holds all of it.", "degrees", -360...360,
            step: 1, standard: 0, example: "7"
        ) { Effects.Rotate(degrees: $0) },
    ]

    /// Effects that change colours.
    static let colors: [EffectDefinition] = [
        EffectDefinition("grayscale", "Greyscale", "Take the colour out.") { _ in Effects.ColorMatrix.grayscale },
        EffectDefinition(
            number: "sepia", "Sepia", "Brown as an old print, 0 to 1.", "amount", 0...1, step: 0.01, standard: 0,
            example: "0.7"
        ) { Effects.ColorMatrix.sepia($0) },
        EffectDefinition(
            number: "saturation", "Saturation", "Multiply how colourful it is: 0 is grey, 1 as before.", "factor",
            0...10, step: 0.05, standard: 1, example: "1.5"
        ) { Effects.ColorMatrix.saturation($0) },
        EffectDefinition(
            number: "brightness", "Brightness", "Multiply colours: 0 is black, 1 as before.", "factor", 0...10,
            step: 0.05, standard: 1, example: "1.2"
        ) { Effects.ColorMatrix.brightness($0) },
        EffectDefinition(
            number: "contrast", "Contrast", "Multiply the distance from middle grey: 0 is grey, 1 as before.", "factor",
            0...10, step: 0.05, standard: 1, example: "1.2"
        ) { Effects.ColorMatrix.contrast($0) },
        EffectDefinition(
            "color-matrix", "Colour matrix",
            "Make red, green, blue and alpha of those there were, and a constant: four rows of five.", "20 numbers",
            matrix, example: "0,0,1,0,0,0,1,0,0,0,1,0,0,0,0,0,0,0,1,0", advice: "20 numbers, four rows of five"
        ) { written in Effects.ColorMatrix(matrix.map { written.number($0.name) }) },
        EffectDefinition(
            "tint", "Tint",
            "Lay a colour over it, by a blend mode: \(BlendMode.allCases.map(\.rawValue).joined(separator: ", ")).",
            "#rrggbbaa,mode",
            [EffectParameter("color", .color, standard: .color(RGBA8(0, 0, 0, 0))), blendMode],
            example: "336699,multiply", advice: "#336699 or #336699,multiply"
        ) { Effects.Tint(color: $0.color, blendMode: $0.word("mode")) },
        EffectDefinition(
            "sharpen", "Sharpen", "Sharpen by an amount, and a radius (1 unless given).", "amount,radius",
            [
                .number("amount", 0...10, step: 0.05, standard: 0),
                .number("radius", 0...50, step: 0.1, standard: 1, .optional),
            ],
            example: "0.5,2", advice: "0.5 or 0.5,2"
        ) { Effects.Sharpen(radius: $0.number("radius"), amount: $0.number("amount")) },
        EffectDefinition(
            number: "blur", "Blur", "Blur by a Gaussian with this standard deviation.", "radius", 0...100, step: 0.5,
            standard: 0, example: "4"
        ) { Effects.GaussianBlur(radius: $0) },
    ]

    static let blendMode = EffectParameter.word("mode", standard: BlendMode.normal)

    private static func gravity(_ standard: Gravity) -> EffectParameter { .word("gravity", standard: standard) }

    /// Rows of the result, columns of the input. The standard values are the identity.
    private static let matrix: [EffectParameter] = {
        let (rows, columns) = (["red", "green", "blue", "alpha"], ["Red", "Green", "Blue", "Alpha", "Constant"])
        return rows.enumerated().flatMap { row, to in
            columns.enumerated().map { column, from in
                .number("\(to)From\(from)", -10...10, step: 0.01, standard: row == column ? 1 : 0)
            }
        }
    }()

    /// Effects that involve other images or alpha.
    static let layers: [EffectDefinition] = [
        EffectDefinition(
            "extend", "Extend", "Put it in the middle, or ,south and the like, of a larger canvas of a colour.",
            "WxH,#rrggbb",
            [
                EffectParameter("size", .size(sides)),
                EffectParameter("color", .color, .optional, standard: .color(RGBA8(0, 0, 0, 0))), gravity(.center),
            ],
            example: "400x300,ffffff", advice: "400x300 or 400x300,#ffffff,south"
        ) {
            Effects.Extend(
                width: $0.size.width, height: $0.size.height, color: $0.color, gravity: $0.word("gravity"))
        },
        EffectDefinition(
            "overlay", "Overlay",
            "Lay a picture over it, at its own size or ,WxH, as opaque as ,0.5 says, by a blend mode; its place counts from "
                + "the top left or ,south and the like.", "file,x,y",
            [
                EffectParameter("picture", .picture), .number("x", offsets, step: 1, standard: 0),
                .number("y", offsets, step: 1, standard: 0), EffectParameter("size", .size(sides), .optional),
                .number("opacity", 0...1, step: 0.01, standard: 1, .optional), blendMode, gravity(.northwest),
            ],
            example: "logo.png,20,20", advice: "logo.png,20,20 or logo.png,20,20,100x50,0.5,multiply,southeast"
        ) { (written, picture) in
            Effects.Overlay(
                picture, x: written.number("x"), y: written.number("y"), width: written.sizeIfWritten?.width,
                height: written.sizeIfWritten?.height, opacity: written.number("opacity"),
                blendMode: written.word("mode"), gravity: written.word("gravity"))
        },
        EffectDefinition(
            name: "text", title: "Text",
            sentence: "Write text over it, reduced to the picture's width if it is wider.",
            parameters: [EffectParameter("text", .text)], usage: "text", example: "Caption", advice: "a text",
            making: .text),
        EffectDefinition(
            "mask", "Mask", "Keep what a grey picture, stretched over it, has white.", "file",
            [EffectParameter("picture", .picture)], example: "mask.png"
        ) { (_, picture) in Effects.Mask(picture) },
        EffectDefinition(
            "invert-mask", "Inverted mask", "Keep what a grey picture, stretched over it, has black.", "file",
            [EffectParameter("picture", .picture)], example: "mask.png"
        ) { (_, picture) in Effects.Mask(picture, isInverted: true) },
        EffectDefinition(
            number: "opacity", "Opacity", "Multiply alpha, 0 to 1.", "alpha", 0...1, step: 0.01, standard: 1,
            example: "0.5"
        ) { Effects.Opacity($0) },
        EffectDefinition("mask-from-alpha", "Mask from alpha", "Make a grey picture of the alpha, for use as a mask.") {
            _ in
            Effects.MaskFromAlpha()
        },
    ]

    /// Corners, border, shadow, reflection and background.
    static let shape: [EffectDefinition] = [
        EffectDefinition("circle", "Circle", "Cut out the disc in the middle.") { _ in Effects.Circle() },
        EffectDefinition(
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
        EffectDefinition(
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
        EffectDefinition(
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
        EffectDefinition(
            "reflect", "Reflection",
            "Reflect this part of the height below it, after a gap (0) and with an opacity (1).", "scale,gap,alpha",
            [
                .number("scale", reflections, step: 0.01, standard: 0.5),
                .number("gap", -500...500, step: 1, standard: 0, .optional),
                .number("alpha", 0...1, step: 0.01, standard: 1, .optional),
            ],
            example: "0.5,10,0.25", advice: "0.5 or, with gap and opacity, 0.5,10,0.25"
        ) { Effects.Reflection(scale: $0.number("scale"), gap: $0.number("gap"), alpha: $0.number("alpha")) },
        EffectDefinition(
            number: "reflected", "Reflection alone", "Make the reflection alone.", "scale", reflections, step: 0.01,
            standard: 0.5, example: "0.5"
        ) { Effects.Reflected(scale: $0) },
        EffectDefinition(
            "flatten", "Background", "Lay it on a colour, so that nothing is transparent.", "#rrggbb",
            [EffectParameter("color", .color, standard: .color(RGBA8(255, 255, 255)))], example: "ffffff",
            advice: "#ffffff"
        ) { Effects.Flatten(color: $0.color) },
    ]

    private static let radii = 0.0...65535
    private static let reflections = 0.01...1
}
