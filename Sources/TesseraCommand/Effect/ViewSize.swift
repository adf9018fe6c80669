internal import ArgumentParser
internal import ImageEffects

/// What a command's option `--size` means among effects.
protocol ViewSize: ParsableArguments {
    /// The effects that it stands for.
    var effects: [WrittenEffect] { get }
}
