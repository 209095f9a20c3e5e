namespace Ioxide.Pg.Tests;

/// <summary>A step of a program. It means the same whatever came before, so that steps can be taken out.</summary>
/// <param name="Verb">What it does.</param>
/// <param name="Slot">Which connection, command or transaction.</param>
/// <param name="Choice">Which text, level, behavior or value.</param>
/// <param name="IsAsync">By the asynchronous method.</param>
internal readonly record struct AdoStep(AdoVerb Verb, int Slot, int Choice, bool IsAsync)
{
    public override string ToString() => $"{Verb}{(IsAsync ? "Async" : "")} {Slot} {Describe()}".TrimEnd();

    private string Describe() => Verb switch
    {
        AdoVerb.NewCommand or AdoVerb.SetText => $"\"{AdoTexts.Of(Choice)}\"",
        AdoVerb.NewBatch => string.Join(" | ", AdoTexts.BatchOf(Choice).Select(static text => $"\"{text}\"")),
        AdoVerb.Reader or AdoVerb.BatchReader => $"{AdoTexts.BehaviorOf(Choice)}",
        _ => $"{Choice}",
    };
}
