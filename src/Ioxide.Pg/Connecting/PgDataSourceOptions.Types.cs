using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;

namespace Ioxide.Pg;

/// <summary>Types of the application, mapped in one line each. A mapping serves the whole process.</summary>
public sealed partial class PgDataSourceOptions
{
    /// <summary>Maps an enum of the database, with <c>T?</c> and arrays. See <see cref="PgCodec.RegisterEnum{TEnum}"/>.</summary>
    /// <param name="label">The label of a value. Defaults to its name in snake case.</param>
    /// <returns>These options.</returns>
    public PgDataSourceOptions MapEnum<TEnum>(Func<TEnum, string>? label = null)
        where TEnum : struct, Enum
    {
        PgCodec.RegisterEnum(label);
        return this;
    }

    /// <summary>
    /// Maps a composite of the database, with arrays. The parameters of the type's longest constructor are its fields, in the order of its
    /// definition; each has a property of its name. A positional record is such a type.
    /// </summary>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The type has no such constructor.</exception>
    /// <remarks>Values go through reflection; derive from <see cref="PgCompositeCodec{T}"/> where that counts.</remarks>
    public PgDataSourceOptions MapComposite<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicProperties)] T>()
    {
        PgCodec.Register(new MappedCompositeCodec<T>());
        return this;
    }

    /// <summary>Maps a type that is JSON in the database, with arrays: sent as jsonb, read from jsonb and json.</summary>
    /// <param name="typeInfo">From a <c>JsonSerializerContext</c>, such as <c>ShopJson.Default.Order</c>.</param>
    /// <returns>These options.</returns>
    public PgDataSourceOptions MapJson<T>(JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        PgCodec.Register(new JsonObjectCodec<T>(typeInfo));
        return this;
    }
}
