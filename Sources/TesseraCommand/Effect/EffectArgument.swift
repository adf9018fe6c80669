internal import ArgumentParser
internal import Tessera

/// One effect as the command line names it. Pictures in it are read when it is made.
struct EffectArgument: Sendable {
    /// Reads the picture at a path.
    typealias PictureReader = (_ path: String) throws(ImageError) -> EffectPicture

    private let body: @Sendable (_ read: PictureReader) throws(ImageError) -> any ImageEffect

    /// An effect that needs no picture.
    init(_ effect: any ImageEffect) { body = { _ in effect } }

    /// An effect with the picture at `path` in it.
    init(_ path: String, _ make: @escaping @Sendable (EffectPicture) -> any ImageEffect) {
        body = { (read) throws(ImageError) in make(try read(path)) }
    }

    /// The effect.
    func effect(_ read: PictureReader) throws(ImageError) -> any ImageEffect { try body(read) }

    /// Reads the picture in a file. One that isn't there is the same kind of error as an input that isn't.
    static func readPicture(_ path: String) throws(ImageError) -> EffectPicture {
        EffectPicture(try EffectRecipe.picture(path), reference: path)
    }
}

extension EffectArgument {
    /// `WxH`, decimals allowed.
    static func size(_ argument: String) throws -> (width: Double, height: Double) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Double(parts[0]), let height = Double(parts[1]) else {
            throw ValidationError("write a width and a height, as in 400x300")
        }
        return (width, height)
    }

    /// A function that reads `WxH` and makes an effect of it.
    static func sized(
        _ make: @escaping @Sendable (_ width: Double, _ height: Double) -> any ImageEffect
    ) -> @Sendable (String) throws -> EffectArgument {
        { argument in
            let size = try size(argument)
            return EffectArgument(make(size.width, size.height))
        }
    }

    /// A function that reads one number and makes an effect of it.
    static func number(
        _ make: @escaping @Sendable (Double) -> any ImageEffect
    ) -> @Sendable (String) throws -> EffectArgument {
        { argument in
            guard let number = Double(argument) else { throw ValidationError("\"\(argument)\" is no number") }
            return EffectArgument(make(number))
        }
    }

    static func crop(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "40,30,200,100 or 40,30,200,100,clamped")
        let (x, y, width, height) = (
            try values.number(), try values.number(), try values.number(), try values.number()
        )
        let outside: Effects.Crop.Outside = values.choiceIfPresent() ?? .transparent
        try values.finish()
        return EffectArgument(Effects.Crop(x: x, y: y, width: width, height: height, outside: outside))
    }

    static func smartCrop(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "300x300 or 300x300,entropy")
        let (width, height) = try values.size()
        let strategy: Effects.SmartCrop.Strategy = values.choiceIfPresent() ?? .attention
        try values.finish()
        return EffectArgument(Effects.SmartCrop(width: width, height: height, strategy: strategy))
    }

    static func flip(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "horizontal or vertical")
        let direction: Effects.Flip.Direction = try values.choice()
        try values.finish()
        return EffectArgument(Effects.Flip(direction))
    }

    static func sharpen(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "0.5 or 0.5,2")
        let amount = try values.number()
        let radius = values.numberIfPresent() ?? 1
        try values.finish()
        return EffectArgument(Effects.Sharpen(radius: radius, amount: amount))
    }

    static func tint(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "#336699 or #336699,multiply")
        let color = try values.color()
        let mode: BlendMode = values.choiceIfPresent() ?? .normal
        try values.finish()
        return EffectArgument(Effects.Tint(color: color, blendMode: mode))
    }

    static func colorMatrix(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "20 numbers, four rows of five")
        let rows = try (0..<20).map { _ in try values.number() }
        try values.finish()
        return EffectArgument(Effects.ColorMatrix(rows))
    }

    static func mask(_ path: String) -> EffectArgument { EffectArgument(path) { Effects.Mask($0) } }

    static func invertedMask(_ path: String) -> EffectArgument {
        EffectArgument(path) { Effects.Mask($0, isInverted: true) }
    }

    static func overlay(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "logo.png,20,20 or logo.png,20,20,100x50,0.5,multiply")
        let path = try values.text()
        let (x, y) = (try values.number(), try values.number())
        let size = values.sizeIfPresent()
        let opacity = values.numberIfPresent() ?? 1
        let mode: BlendMode = values.choiceIfPresent() ?? .normal
        try values.finish()
        return EffectArgument(path) {
            Effects.Overlay(
                $0, x: x, y: y, width: size?.width, height: size?.height, opacity: opacity, blendMode: mode)
        }
    }

    static func radius(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "20 or, clockwise from the top left, 20,20,0,0")
        let first = try values.number()
        guard let second = values.numberIfPresent() else {
            try values.finish()
            return EffectArgument(Effects.CornerRadius(first))
        }
        let (third, fourth) = (try values.number(), try values.number())
        try values.finish()
        return EffectArgument(
            Effects.CornerRadius(topLeft: first, topRight: second, bottomLeft: fourth, bottomRight: third))
    }

    static func border(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "2,#ffffff or 2,#ffffff,20")
        let width = try values.number()
        let color = try values.color()
        let radius = values.numberIfPresent() ?? 0
        try values.finish()
        return EffectArgument(Effects.Border(color: color, width: width, radius: radius))
    }

    static func shadow(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "0,4,12 or 0,4,12,#00000080")
        let (x, y, blur) = (try values.number(), try values.number(), try values.number())
        let color = values.colorIfPresent() ?? RGBA8(0, 0, 0)
        let border: Effects.Shadow.Border = values.choiceIfPresent() ?? .compatible
        try values.finish()
        return EffectArgument(Effects.Shadow(color: color, x: x, y: y, blur: blur, border: border))
    }

    static func reflect(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "0.5 or, with gap and opacity, 0.5,10,0.25")
        let scale = try values.number()
        let gap = values.numberIfPresent() ?? 0
        let alpha = values.numberIfPresent() ?? 1
        try values.finish()
        return EffectArgument(Effects.Reflection(scale: scale, gap: gap, alpha: alpha))
    }

    static func flatten(_ argument: String) throws -> EffectArgument {
        var values = EffectValues(argument, example: "#ffffff")
        let color = try values.color()
        try values.finish()
        return EffectArgument(Effects.Flatten(color: color))
    }
}
