namespace Ioxide.Http2.Tests;

/// <summary>One case of h2spec: what a client sends, and what must come.</summary>
/// <param name="Id">The catalogue's name of the case: suite, section of RFC 7540 or 7541, number.</param>
/// <param name="Source">Where the requirement stands today: "RFC 9113, 5.1".</param>
/// <param name="Expects">What must come behind the last step.</param>
/// <param name="Steps">What is sent, one after the other.</param>
internal sealed record SpecCase(string Id, string Source, SpecJudge Expects, params SpecStep[] Steps)
{
    /// <summary>Whether settings are exchanged and acknowledged first.</summary>
    internal bool ShakesHands { get; init; } = true;
}
