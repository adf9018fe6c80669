internal import Raster

extension EffectTable {
    /// What works with other pictures and with alpha.
    static let layers: [EffectForm] = [
        EffectForm(
            "overlay", "Overlay",
            "Lay a picture over it, at its own size or ,WxH, as opaque as ,0.5 says, by a blend mode.", "file,x,y",
            [
                EffectParameter("picture", .picture), .number("x", offsets, step: 1, standard: 0),
                .number("y", offsets, step: 1, standard: 0), EffectParameter("size", .size(sides), .optional),
                .number("opacity", 0...1, step: 0.01, standard: 1, .optional), blendMode,
            ],
            example: "logo.png,20,20", advice: "logo.png,20,20 or logo.png,20,20,100x50,0.5,multiply"
        ) { (written, picture) in
            Effects.Overlay(
                picture, x: written.number("x"), y: written.number("y"), width: written.sizeIfWritten?.width,
                height: written.sizeIfWritten?.height, opacity: written.number("opacity"),
                blendMode: written.word("mode"))
        },
        EffectForm(
            "mask", "Mask", "Keep what a grey picture, stretched over it, has white.", "file",
            [EffectParameter("picture", .picture)], example: "mask.png"
        ) { (_, picture) in Effects.Mask(picture) },
        EffectForm(
            "invert-mask", "Inverted mask", "Keep what a grey picture, stretched over it, has black.", "file",
            [EffectParameter("picture", .picture)], example: "mask.png"
        ) { (_, picture) in Effects.Mask(picture, isInverted: true) },
        EffectForm(
            number: "opacity", "Opacity", "Multiply alpha, 0 to 1.", "alpha", 0...1, step: 0.01, standard: 1,
            example: "0.5"
        ) { Effects.Opacity($0) },
        EffectForm("mask-from-alpha", "Mask from alpha", "Make a grey picture of the alpha, for use as a mask.") { _ in
            Effects.MaskFromAlpha()
        },
    ]
}
