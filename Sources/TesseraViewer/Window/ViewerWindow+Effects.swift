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
        guard page.tiles != nil else { return say("Effects are for still pictures") }
        page.apply(settings) { [weak self] in self?.say("The effects can't be made: \($0)") }
    }

    /// Sets the sliders, and applies the effects to the image.
    func setEffects(_ settings: EffectSettings) {
        resetSliders(to: settings)
        page?.apply(settings) { [weak self] in self?.say("The effects can't be made: \($0)") }
    }

    func resetSliders(to settings: EffectSettings) {
        isSettingSliders = true
        self.settings = settings
        for (name, path) in EffectSettings.sliders { interface["effect-\(name)"].set("value", settings[keyPath: path]) }
        isSettingSliders = false
    }
}
#endif
