namespace Ioxide;

/// <summary>A call that failed where a feature needs it.</summary>
/// <param name="Call">Its name, with its command where it has several.</param>
/// <param name="ErrorNumber">Positive; 0 where nothing failed.</param>
internal readonly record struct CallRefusal(string Call, int ErrorNumber);
