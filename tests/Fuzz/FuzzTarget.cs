namespace Ioxide.Fuzz;

/// <summary>A reader of bytes that others send.</summary>
/// <param name="name">What the command line calls it.</param>
internal abstract class FuzzTarget(string name)
{
    internal static IReadOnlyList<FuzzTarget> All { get; } =
    [
        new HpackTarget(), new FrameTarget(), new ProxyTarget(), new HelloTarget(), new RecordTarget(), new PgMessageTarget(), new PgTypeTarget(),
        new SqlTarget(), new PgOptionsTarget(), new FileFieldTarget(),
    ];

    internal string Name { get; } = name;

    /// <summary>Valid inputs, from which others are made.</summary>
    internal abstract IEnumerable<byte[]> Seeds();

    /// <summary>Reads an input. What the reader documents to throw is caught here; anything else that comes out is a finding.</summary>
    internal abstract void Read(ReadOnlySpan<byte> input);

    /// <summary>A finding that is no exception of the reader's.</summary>
    private protected static void Require(bool holds, string what)
    {
        if (!holds)
        {
            throw new FindingException(what);
        }
    }
}
