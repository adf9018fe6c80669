/// A mountain range: the line of its crest, and its colours.
struct Ridge {
    /// The row of the crest in each column.
    let crest: [Float]
    /// The row of the ground in each column: lower than the crest where a tree stands.
    let ground: [Float]
    /// The rows of the highest and the lowest point of the crest.
    let top: Int
    let bottom: Int
    /// The colour at the crest, and that of the mist into which it fades downwards; 0 to 255.
    let color: SIMD3<Float>
    let mist: SIMD3<Float>
    /// Rows from the crest to the thickest mist.
    let mistDepth: Float
    /// The strength of the ground's texture.
    let texture: Float

    /// Creates a crest around `level` with hills of height `relief` and width `hill`, all as fractions of the image's
    /// height; it has trees unless `treeHeight` is 0.
    init(
        width: Int, height: Int, level: Float, relief: Float, hill: Float, treeHeight: Float, seed: UInt32,
        color: SIMD3<Float>, mist: SIMD3<Float>, mistDepth: Float, texture: Float
    ) {
        let scale = Float(height)
        var noise = NoiseRows(
            width: width, cellWidth: max(2, Int(hill * scale)), cellHeight: 1, amplitude: relief * scale,
            persistence: 0.46, count: 12, seed: seed)
        noise.move(to: 0)
        var crest = noise.values.map { level * scale + $0 }
        if treeHeight > 0 { Self.plant(&crest, treeHeight: treeHeight * scale, seed: seed &+ 99) }
        top = Int(crest.min()!)
        bottom = Int(crest.max()!) + 1
        self.crest = crest
        ground = noise.values.map { level * scale + $0 }
        self.color = color
        self.mist = mist
        self.mistDepth = mistDepth * scale
        self.texture = texture
    }

    /// Adds conifers: narrow triangles with ragged edges.
    private static func plant(_ crest: inout [Float], treeHeight: Float, seed: UInt32) {
        let ground = crest
        let spacing = max(1, treeHeight * 0.21)
        for index in 0..<Int(Float(crest.count) / spacing) {
            var random = RandomSequence(seed: seed &+ UInt32(index))
            let middle = (Float(index) + random.next()) * spacing
            let stand = ground[min(crest.count - 1, Int(middle))]
            let grove = Tone.rise(Tone.sine(middle / treeHeight * 0.11 + Float(seed & 7)), -0.9, 0.3)
            let tall = treeHeight * (0.3 + 0.7 * random.next() * random.next()) * (0.25 + 0.75 * grove)
            let half = tall * 0.2
            for x in max(0, Int(middle - half))..<max(0, min(crest.count, Int(middle + half) + 1)) {
                let away = abs(Float(x) - middle) / half
                let branch = 0.16 * Randomness.unit(Randomness.bits(x, index, seed: seed))
                let tip = stand - tall * max(0, 1 - away - (away > 0.08 ? branch : 0))
                crest[x] = min(crest[x], tip)
            }
        }
    }
}
