namespace Ioxide;

/// <summary>A call that failed where a feature needs it.</summary>
/// <param name="Call">The call's name, with its command if it has several.</param>
/// <param name="ErrorNumber">Positive; 0 if nothing failed.</param>
internal readonly record struct CallRefusal(string Call, int ErrorNumber);
