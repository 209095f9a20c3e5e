namespace Ioxide.Tls;

/// <summary>How a session reports ends and errors to its application.</summary>
/// <param name="TakesTruncationAsEnd">A stream that ends between two records without close_notify is an end.</param>
/// <param name="ErrorFactory">Turns an error into the one that a reader sees, or null.</param>
internal sealed record TlsSessionKind(bool TakesTruncationAsEnd, Func<TlsException, Exception>? ErrorFactory)
{
    internal static readonly TlsSessionKind Strict = new(false, null);
}
