internal import Raster

extension EffectTable {
    /// What changes colours.
    static let colors: [EffectForm] = [
        EffectForm("grayscale", "Greyscale", "Take the colour out.") { _ in Effects.ColorMatrix.grayscale },
        EffectForm(
            number: "sepia", "Sepia", "Brown as an old print, 0 to 1.", "amount", 0...1, step: 0.01, standard: 0,
            example: "0.7"
        ) { Effects.ColorMatrix.sepia($0) },
        EffectForm(
            number: "saturation", "Saturation", "Multiply how colourful it is: 0 is grey, 1 as before.", "factor",
            0...10, step: 0.05, standard: 1, example: "1.5"
        ) { Effects.ColorMatrix.saturation($0) },
        EffectForm(
            number: "brightness", "Brightness", "Multiply colours: 0 is black, 1 as before.", "factor", 0...10,
            step: 0.05, standard: 1, example: "1.2"
        ) { Effects.ColorMatrix.brightness($0) },
        EffectForm(
            number: "contrast", "Contrast", "Multiply the distance from middle grey: 0 is grey, 1 as before.", "factor",
            0...10, step: 0.05, standard: 1, example: "1.2"
        ) { Effects.ColorMatrix.contrast($0) },
        EffectForm(
            "color-matrix", "Colour matrix",
            "Make red, green, blue and alpha of those there were, and a constant: four rows of five.", "20 numbers",
            matrix, example: "0,0,1,0,0,0,1,0,0,0,1,0,0,0,0,0,0,0,1,0", advice: "20 numbers, four rows of five"
        ) { written in Effects.ColorMatrix(matrix.map { written.number($0.name) }) },
        EffectForm(
            "tint", "Tint",
            "Lay a colour over it, by a blend mode: \(BlendMode.allCases.map(\.rawValue).joined(separator: ", ")).",
            "#rrggbbaa,mode",
            [EffectParameter("color", .color, standard: .color(RGBA8(0, 0, 0, 0))), blendMode],
            example: "336699,multiply", advice: "#336699 or #336699,multiply"
        ) { Effects.Tint(color: $0.color, blendMode: $0.word("mode")) },
        EffectForm(
            "sharpen", "Sharpen", "Sharpen by an amount, and a radius (1 unless given).", "amount,radius",
            [
                .number("amount", 0...10, step: 0.05, standard: 0),
                .number("radius", 0...50, step: 0.1, standard: 1, .optional),
            ],
            example: "0.5,2", advice: "0.5 or 0.5,2"
        ) { Effects.Sharpen(radius: $0.number("radius"), amount: $0.number("amount")) },
        EffectForm(
            number: "blur", "Blur", "Blur by a Gaussian with this standard deviation.", "radius", 0...100, step: 0.5,
            standard: 0, example: "4"
        ) { Effects.GaussianBlur(radius: $0) },
    ]

    static let blendMode = EffectParameter.word("mode", standard: BlendMode.normal)

    /// Rows of what is made, columns of what it is made of. As it stands it changes nothing.
    private static let matrix: [EffectParameter] = {
        let (rows, columns) = (["red", "green", "blue", "alpha"], ["Red", "Green", "Blue", "Alpha", "Constant"])
        return rows.enumerated().flatMap { row, to in
            columns.enumerated().map { column, from in
                .number("\(to)From\(from)", -10...10, step: 0.01, standard: row == column ? 1 : 0)
            }
        }
    }()
}
