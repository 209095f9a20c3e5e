namespace Ioxide;

/// <summary>One line of a check: what was looked at, and what was found.</summary>
/// <param name="Name">What was looked at, in one to three words, such as <c>open files</c>.</param>
/// <param name="State">How it is.</param>
/// <param name="Found">What was found, without a full stop.</param>
public sealed record CheckLine(string Name, CheckState State, string Found)
{
    /// <summary>What the state costs the program, without a full stop. Null where it costs nothing.</summary>
    public string? Cost { get; init; }

    /// <summary>What to do about it, in whole sentences. Null where nothing needs to be done.</summary>
    public string? Remedy { get; init; }

    internal static CheckLine Of(string name, CheckState state, string found, string? cost, string? remedy)
        => new(name, state, found) { Cost = cost, Remedy = remedy };
}
