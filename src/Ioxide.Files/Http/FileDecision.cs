namespace Ioxide.Files;

/// <summary>The answer to one request: which representation, and what of it.</summary>
internal readonly struct FileDecision(FileOutcome outcome, FileVariant? variant, ByteRange range = default, ByteRange[]? parts = null)
{
    internal FileOutcome Outcome { get; } = outcome;

    /// <summary>The selected representation; null only for <see cref="FileOutcome.NotAcceptable"/>.</summary>
    internal FileVariant? Variant { get; } = variant;

    /// <summary>The bytes to send for <see cref="FileOutcome.Whole"/> (then all) and <see cref="FileOutcome.Part"/>.</summary>
    internal ByteRange Range { get; } = range;

    /// <summary>The bytes to send for <see cref="FileOutcome.Parts"/>.</summary>
    internal ByteRange[]? Parts { get; } = parts;

    /// <summary>Selects by content coding, then evaluates preconditions, then ranges: RFC 9110, sections 12, 13.2.2 and 14.2.</summary>
    internal static FileDecision Make(in FileRequest request, FileEntry entry, int maxRanges)
        => entry.Choose(AcceptedCodings.Parse(request.AcceptEncoding)) is { } variant
            ? Make(request, variant, maxRanges)
            : new FileDecision(FileOutcome.NotAcceptable, null);

    /// <summary>Decides about a representation that was selected before.</summary>
    internal static FileDecision Make(in FileRequest request, FileVariant variant, int maxRanges)
    {
        if (Preconditions.Evaluate(request, variant) is { } outcome)
        {
            return new FileDecision(outcome, variant);
        }

        var whole = new ByteRange(0, variant.Length);
        if (request.Range.IsEmpty || request.IsHead || !Preconditions.AllowsRange(request.IfRange, variant))
        {
            return new FileDecision(FileOutcome.Whole, variant, whole);
        }

        if (ByteRanges.TryParseOne(request.Range, variant.Length, out ByteRange one))
        {
            return new FileDecision(FileOutcome.Part, variant, one);
        }

        return ByteRanges.Parse(request.Range, variant.Length, maxRanges) switch
        {
            null => new FileDecision(FileOutcome.Whole, variant, whole),
            [] => new FileDecision(FileOutcome.Unsatisfiable, variant),
            [ByteRange single] => new FileDecision(FileOutcome.Part, variant, single),
            ByteRange[] several => new FileDecision(FileOutcome.Parts, variant, parts: several),
        };
    }
}
