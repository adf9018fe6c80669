internal import ArgumentParser

/// Nothing: a command has an option of that name for something else, or none.
struct NoViewSize: ViewSize {
    var arguments: [EffectArgument] { [] }
}
