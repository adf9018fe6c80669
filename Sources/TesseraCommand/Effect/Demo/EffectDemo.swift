internal import ArgumentParser
internal import ImageEffects
internal import SamplePictures
internal import Tessera

/// A sheet that shows what every effect does to the sample pictures, each under the option that asks for it.
enum EffectDemo {
    /// Writes the sheet as `effects.png` to the folder `folder`.
    static func write(to folder: String, overwrites: Bool) throws {
        var samples: [SamplePicture: Image] = [:]
        for sample in [SamplePicture.valley, .fruit, .feather, .flame] {
            samples[sample] = Image(try sample.makeBitmap(size: sample.size.fitted(within: bounds)))
        }
        let read: WrittenEffect.PictureReader = { (name) throws(ImageError) in
            guard let image = SamplePicture(rawValue: name).flatMap({ samples[$0] }) else {
                throw ImageError(.invalidParameter, "there is no sample picture called \(name)")
            }
            // A mask is grey; a picture's alpha makes one.
            return EffectPicture(name == "feather" ? try image.applying(.maskFromAlpha) : image, reference: name)
        }
        var sheet = EffectSheet()
        for (sample, options) in cards {
            guard let picture = samples[sample] else { continue }
            let effects = try EffectArguments<ContentSize>.parse(options.split(separator: " ").map(String.init))
            let result = try picture.applying(effects.chain(read)).bitmap()
            try sheet.append(result, label: options.isEmpty ? sample.name : options)
        }
        try FileSystem.makeFolder(folder)
        let path = FilePath("effects.png", in: folder).text
        let output = try EncodedOutput(.file(path), overwrites: overwrites)
        try ImageDestination(format: .png).encode(sheet.makeBitmap(), to: output)
        try output.commit()
        print("The sheet is \(path).")
    }

    /// What the sample pictures are made to fit within.
    private static let bounds = PixelSize(width: 216, height: 150)

    private static var cards: [(SamplePicture, String)] {
        let geometry: [(SamplePicture, String)] = [
            (.valley, ""), (.fruit, ""),
            (.valley, "--crop 90,40,100,80"), (.valley, "--crop -20,-20,200,140"),
            (.valley, "--crop -20,-20,200,140,clamped"), (.valley, "--crop -20,-20,200,140,intersected"),
            (.valley, "--fit 140x140"), (.valley, "--fill 140x140"), (.valley, "--cover 140x140"),
            (.valley, "--scale 140x140"), (.fruit, "--smart-crop 110x110"), (.valley, "--smart-crop 110x110,entropy"),
            (.valley, "--flip horizontal"), (.valley, "--flip vertical"), (.valley, "--rotate 7"),
            (.valley, "--rotate -30"), (.valley, "--fit 180x120 --rotate 90"),
        ]
        let modes = ContentMode.allCases.map { mode in
            (SamplePicture.valley, "--size 170x170 --content-mode \(mode.rawValue) --pad")
        }
        let colors: [(SamplePicture, String)] = [
            (.valley, "--grayscale"), (.valley, "--sepia 1"), (.valley, "--saturation 2"),
            (.valley, "--brightness 1.4"), (.valley, "--contrast 1.6"),
            (.valley, "--color-matrix 0,0,1,0,0,0,1,0,0,0,1,0,0,0,0,0,0,0,1,0"),
            (.valley, "--sharpen 1.5"), (.valley, "--blur 1.5"), (.valley, "--blur 8"), (.fruit, "--blur 4"),
            (.valley, "--overlay fruit,20,10"), (.valley, "--overlay flame,60,10,90x90,0.7,screen"),
            (.valley, "--mask feather"), (.valley, "--invert-mask feather"), (.fruit, "--mask-from-alpha"),
            (.valley, "--opacity 0.4"),
        ]
        let tints = BlendMode.allCases.map { mode in
            (SamplePicture.fruit, "--tint #4080c0c0,\(mode.rawValue)")
        }
        let light: [(SamplePicture, String)] = [
            (.valley, "--radius 24"), (.valley, "--radius 60,0,60,0"), (.valley, "--circle"),
            (.valley, "--border 5,#ffcc66"), (.valley, "--radius 24 --border 5,#ffcc66"),
            (.valley, "--circle --border 5,#ffcc66"),
            (.valley, "--shadow 0,4,12,#00000080"), (.valley, "--shadow 8,8,0,#00000080"),
            (.fruit, "--shadow 6,6,8,#000000a0"), (.flame, "--shadow 0,0,20,#ff6600,threeSigma"),
            (.valley, "--fit 170x90 --reflect 0.5,4,0.6"), (.fruit, "--fit 140x90 --reflect 1"),
            (.valley, "--reflected 1"), (.fruit, "--flatten #ddccaa"),
            (.valley, "--fit 150x80 --radius 10 --shadow 0,2,5 --reflect 0.5,6,0.4"),
            (.valley, "--fit 140x90 --circle --shadow 0,3,6,#00000080 --reflect 0.5,6,0.4"),
            (.valley, "--rotate -6 --shadow 0,4,10,#00000080"),
        ]
        return geometry + modes + colors + tints + light
    }
}
