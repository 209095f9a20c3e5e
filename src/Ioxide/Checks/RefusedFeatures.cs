using System.Collections.Concurrent;

namespace Ioxide;

/// <summary>Collects the features that a group of reactors reports as refused.</summary>
internal sealed class RefusedFeatures : ReactorEvents
{
    private readonly ConcurrentDictionary<string, (string Call, string Error, string Substitute)> _refused = new();

    public override void FeatureRefused(int reactorId, string feature, string callName, string errorName, string substitute)
        => _refused.TryAdd(feature, (callName, errorName, substitute));

    /// <summary>The line of a feature.</summary>
    /// <param name="name">The line's name.</param>
    /// <param name="feature">What the event calls it.</param>
    /// <param name="found">What is found where it was not refused.</param>
    internal CheckLine Describe(string name, string feature, string found)
        => _refused.TryGetValue(feature, out (string Call, string Error, string Substitute) refusal)
            ? CheckLine.Of(
                name, CheckState.Limited, $"{refusal.Call} failed with {refusal.Error}", $"{feature} is off; {refusal.Substitute}",
                Refusal.RemedyOfFeature(refusal.Call, refusal.Error))
            : new CheckLine(name, CheckState.Ok, found);
}
