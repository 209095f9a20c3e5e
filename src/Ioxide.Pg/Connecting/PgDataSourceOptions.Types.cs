using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;

namespace Ioxide.Pg;

/// <summary>Types of the application, mapped in one line each. A mapping applies to the whole process.</summary>
public sealed partial class PgDataSourceOptions
{
    /// <summary>Maps a database enum, including <c>T?</c> and arrays. See <see cref="PgCodec.RegisterEnum{TEnum}"/>.</summary>
    /// <param name="label">Returns the label of a value. Defaults to its name in snake case.</param>
    /// <returns>These options.</returns>
    public PgDataSourceOptions MapEnum<TEnum>(Func<TEnum, string>? label = null)
        where TEnum : struct, Enum
    {
        PgCodec.RegisterEnum(label);
        return this;
    }

    /// <summary>
    /// Maps a database composite, including arrays. The parameters of the type's longest constructor are its fields, in the order of their
    /// definition, and each has a property of the same name. A positional record is such a type.
    /// </summary>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The type has no such constructor.</exception>
    /// <remarks>Uses reflection for each value; derive from <see cref="PgCompositeCodec{T}"/> if that is too slow.</remarks>
    public PgDataSourceOptions MapComposite<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicProperties)] T>()
    {
        PgCodec.Register(new MappedCompositeCodec<T>());
        return this;
    }

    /// <summary>Maps a type that is stored as JSON, including arrays: sent as jsonb, read from jsonb and json.</summary>
    /// <param name="typeInfo">From a <c>JsonSerializerContext</c>, such as <c>ShopJson.Default.Order</c>.</param>
    /// <returns>These options.</returns>
    public PgDataSourceOptions MapJson<T>(JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        PgCodec.Register(new JsonObjectCodec<T>(typeInfo));
        return this;
    }
}
