internal import Raster

extension EffectTable {
    /// What changes the geometry.
    static let geometry: [EffectForm] = [
        EffectForm(
            "crop", "Crop",
            "Cut out a rectangle. Where it reaches beyond the picture, it is transparent, or ,clamped or ,intersected.",
            "x,y,w,h",
            [
                .number("x", offsets, step: 1, standard: 0), .number("y", offsets, step: 1, standard: 0),
                .number("width", sides, step: 1), .number("height", sides, step: 1),
                .word("outside", standard: Effects.Crop.Outside.transparent),
            ],
            example: "40,30,200,100", advice: "40,30,200,100 or 40,30,200,100,clamped"
        ) {
            Effects.Crop(
                x: $0.number("x"), y: $0.number("y"), width: $0.number("width"), height: $0.number("height"),
                outside: $0.word("outside"))
        },
        EffectForm(size: "fit", "Fit", "Scale up or down to fit within a size.", example: "400x300") {
            Effects.ScaleToFit(width: $0, height: $1)
        },
        EffectForm(
            size: "fill", "Fill", "Scale up or down to fill a size, and cut off what is more, centred.",
            example: "400x300"
        ) { Effects.ScaleToFill(width: $0, height: $1) },
        EffectForm(
            size: "cover", "Cover", "Scale up or down to cover a size, and keep what is more.", example: "400x300"
        ) { Effects.Cover(width: $0, height: $1) },
        EffectForm(size: "scale", "Stretch", "Stretch to a size.", example: "400x300") {
            Effects.Scale(width: $0, height: $1)
        },
        EffectForm(
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
        EffectForm(
            "smart-crop", "Smart crop",
            "Scale to cover a size and cut out where most is to be seen; ,entropy looks for detail alone.", "WxH",
            [
                EffectParameter("size", .size(sides)),
                .word("strategy", standard: Effects.SmartCrop.Strategy.attention),
            ],
            example: "300x300", advice: "300x300 or 300x300,entropy"
        ) { Effects.SmartCrop(width: $0.size.width, height: $0.size.height, strategy: $0.word("strategy")) },
        EffectForm(
            "flip", "Flip", "Mirror: horizontal (left and right) or vertical.", "axis",
            [EffectParameter("axis", .word(Effects.Flip.Direction.allCases.map(\.rawValue)))], example: "horizontal",
            advice: "horizontal or vertical"
        ) { Effects.Flip($0.word("axis")) },
        EffectForm(
            number: "rotate", "Rotate", "Turn clockwise, on a canvas that holds all of it.", "degrees", -360...360,
            step: 1, standard: 0, example: "7"
        ) { Effects.Rotate(degrees: $0) },
    ]
}
