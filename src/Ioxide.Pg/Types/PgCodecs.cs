namespace Ioxide.Pg;

/// <summary>The codec of a type, looked up once for each closed type.</summary>
internal static class PgCodecs<T>
{
    /// <summary>Never null: a type without a codec has one that says so, and that serves as soon as one is registered.</summary>
    internal static readonly PgCodec<T> Instance = BuiltInTypes.Find<T>() ?? RegisteredCodec<T>.Instance;
}
