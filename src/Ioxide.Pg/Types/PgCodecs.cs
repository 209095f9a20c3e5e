namespace Ioxide.Pg;

/// <summary>The codec of a type, looked up once per closed type.</summary>
internal static class PgCodecs<T>
{
    /// <summary>Never null: a type without a codec has a placeholder that throws until a codec is registered.</summary>
    internal static readonly PgCodec<T> Instance = BuiltInTypes.Find<T>() ?? RegisteredCodec<T>.Instance;
}
