internal import ArgumentParser

/// What a command's option `--size` means among effects.
protocol ViewSize: ParsableArguments {
    /// The effects that it stands for.
    var arguments: [EffectArgument] { get }
}
