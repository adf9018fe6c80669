#if GTK
internal import ImageViewsGTK

extension ViewerWindow {
    func connectEffects() {
        for (name, path) in EffectSettings.sliders {
            interface["effect-\(name)"].connect("value-changed") { [weak self] in
                guard let self, !isSettingSliders else { return }
                settings[keyPath: path] = interface["effect-\(name)"].number("value")
                applyEffects()
            }
        }
    }

    private func applyEffects() {
        guard let page else { return }
        page.apply(settings) { [weak self] in self?.say("The effects can't be made: \($0)") }
    }

    /// Sets the sliders, and applies the effects to the image.
    func setEffects(_ settings: EffectSettings) {
        resetSliders(to: settings)
        page?.apply(settings) { [weak self] in self?.say("The effects can't be made: \($0)") }
    }

    /// Greys the sliders where effects can't be applied, and says why.
    func updateEffects() {
        let isAnimation = page?.content.player != nil
        let isReady = page?.tiles != nil
        for (name, _) in EffectSettings.sliders { interface["scale-\(name)"].set("sensitive", isReady) }
        actions.enable("reset-effects", isReady)
        let isReduced = page.map { $0.content.replacement != nil && $0.content.replacementScale < 1 } ?? false
        interface["effects-note"].set("visible", isAnimation || isReduced)
        interface["effects-note"].set(
            "label",
            isAnimation
                ? "Effects are for still pictures."
                : "Shown reduced, because the picture is large. It is saved in full.")
    }

    func resetSliders(to settings: EffectSettings) {
        isSettingSliders = true
        self.settings = settings
        for (name, path) in EffectSettings.sliders { interface["effect-\(name)"].set("value", settings[keyPath: path]) }
        isSettingSliders = false
    }
}
#endif
