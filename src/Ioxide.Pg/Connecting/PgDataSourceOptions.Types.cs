using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;

namespace Ioxide.Pg;

/// <summary>Types of the application, mapped in one line each.</summary>
/// <remarks>
/// A mapping gives the whole process the codec. The name in the database applies to the data sources of these options: their ADO.NET facade
/// returns the .NET type for columns of that type, and declares the type of parameters.
/// </remarks>
public sealed partial class PgDataSourceOptions
{
    /// <summary>
    /// Whether the ADO.NET facade reads the database's types from its catalogue when it opens the first connection: enums, domains, composites,
    /// types of extensions. Defaults to true. Without it, columns of these types are text. <c>Server Compatibility Mode=NoTypeLoading</c> in a
    /// connection string turns it off.
    /// </summary>
    public bool LoadTypes { get; set; } = true;

    /// <summary>
    /// The types that have a name in the database, in the order of their mapping: a later one of the same name replaces an earlier one.
    /// </summary>
    internal Data.MappedType[] MappedTypes { get; private set; } = [];

    /// <summary>Maps a database enum, including <c>T?</c> and arrays. See <see cref="PgCodec.RegisterEnum{TEnum}"/>.</summary>
    /// <param name="label">Returns the label of a value. Defaults to its name in snake case.</param>
    /// <param name="typeName">The name of the type in the database, with or without its schema. Defaults to the enum's name in snake case.</param>
    /// <returns>These options.</returns>
    public PgDataSourceOptions MapEnum<TEnum>(Func<TEnum, string>? label = null, string? typeName = null)
        where TEnum : struct, Enum
    {
        var codec = new EnumCodec<TEnum>(label);
        PgCodec.RegisterValue(codec);
        MappedTypes = [.. MappedTypes, new Data.MappedType<TEnum>(codec, typeName)];
        return this;
    }

    /// <summary>
    /// Maps a database composite, including arrays. The parameters of the type's longest constructor are its fields, and each has a property of the
    /// same name: a positional record is such a type. Fields that the constructor does not take, and all where none has parameters, are properties
    /// that can be set.
    /// </summary>
    /// <param name="typeName">The name of the type in the database, with or without its schema. Defaults to the .NET type's in snake case.</param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The type has neither.</exception>
    /// <remarks>
    /// The ADO.NET facade finds the fields by name (<c>HouseNumber</c> is <c>house_number</c>). Elsewhere, and where a name is missing, the order of
    /// the parameters, or of the properties, decides. Uses reflection for each value; derive from <see cref="PgCompositeCodec{T}"/> if that is too
    /// slow.
    /// </remarks>
    public PgDataSourceOptions MapComposite<
        [DynamicallyAccessedMembers(
            DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicProperties)] T>(string? typeName = null)
    {
        var codec = new MappedCompositeCodec<T>();
        PgCodec.Register(codec);
        MappedTypes = [.. MappedTypes, new Data.MappedType<T>(codec, typeName)];
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
