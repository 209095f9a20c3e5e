using System.Globalization;

namespace Ioxide.Http2.Tests;

/// <summary>One step of a program, with a number and a text that its kind may use.</summary>
internal sealed record Step(StepKind Kind, int Number = 0, string Text = "", string Value = "")
{
    /// <summary>What a run notes of it begins with this.</summary>
    internal string Name => string.Create(CultureInfo.InvariantCulture, $"{Kind}({Number})");

    public override string ToString()
        => string.Create(CultureInfo.InvariantCulture, $"{Kind}({Number}{(Text.Length > 0 ? $", '{Text}'" : "")}{(Value.Length > 0 ? $", '{Value}'" : "")})");
}
