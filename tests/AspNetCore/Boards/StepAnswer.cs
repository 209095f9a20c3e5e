namespace Ioxide.AspNetCore.Tests;

/// <summary>What came for one step of a case.</summary>
/// <param name="Responses">Each response, interim ones too.</param>
/// <param name="End">How the connection stands.</param>
internal sealed record StepAnswer(IReadOnlyList<RawResponse> Responses, StepEnd End)
{
    internal static StepAnswer None { get; } = new([], StepEnd.Closed);

    /// <summary>The final responses, and a change of the protocol, which ends HTTP.</summary>
    internal IEnumerable<RawResponse> Finals => Responses.Where(static response => IsFinal(response));

    internal RawResponse? Final => Finals.FirstOrDefault();

    internal int Status => Final?.Status ?? 0;

    internal bool IsTaken => Status is >= 200 and < 300;

    /// <summary>The server ended the connection and answered nothing.</summary>
    internal bool IsCut => Final is null && End == StepEnd.Closed;

    internal static bool IsFinal(RawResponse response) => response.Status is 101 or >= 200;

    public override string ToString()
        => string.Join(' ', Responses.Select(static response => $"{response.Status}").Append($"{End}".ToLowerInvariant()));
}
