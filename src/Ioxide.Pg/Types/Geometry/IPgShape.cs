namespace Ioxide.Pg;

/// <summary>A shape that is a fixed count of numbers, in the order of both its wire form and its text.</summary>
internal interface IPgShape<T>
    where T : IPgShape<T>
{
    static abstract int NumberCount { get; }

    static abstract T Read(ReadOnlySpan<double> numbers);

    void CopyTo(Span<double> numbers);
}
