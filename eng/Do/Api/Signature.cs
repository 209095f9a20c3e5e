using System.Reflection;

namespace Ioxide.Do.Api;

/// <summary>How a member reads, and its identifier in a file of XML documentation (ECMA-334, annex D.4).</summary>
internal static class Signature
{
    private static readonly Dictionary<string, string> s_keywords = new(StringComparer.Ordinal)
    {
        ["System.Boolean"] = "bool",
        ["System.Byte"] = "byte",
        ["System.Char"] = "char",
        ["System.Double"] = "double",
        ["System.Int16"] = "short",
        ["System.Int32"] = "int",
        ["System.Int64"] = "long",
        ["System.Object"] = "object",
        ["System.Single"] = "float",
        ["System.String"] = "string",
        ["System.UInt16"] = "ushort",
        ["System.UInt32"] = "uint",
        ["System.UInt64"] = "ulong",
        ["System.Void"] = "void",
        ["System.IntPtr"] = "nint",
    };

    internal static bool IsVisible(MemberInfo member) => member switch
    {
        MethodBase method => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly,
        FieldInfo field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly,
        PropertyInfo property => property.GetAccessors(nonPublic: true).Any(IsVisible),
        EventInfo happened => happened.AddMethod is { } add && IsVisible(add),
        _ => false,
    };

    internal static string Of(MemberInfo member) => member switch
    {
        Type type => $"{Kind(type)} {Name(type)}",
        ConstructorInfo constructor => $"{Name(constructor.DeclaringType!)}({Parameters(constructor)})", // Of a type.
        MethodInfo method => $"{(method.IsStatic ? "static " : "")}{Name(method.ReturnType)} {method.Name}{Generic(method)}({Parameters(method)})",
        PropertyInfo property => $"{Name(property.PropertyType)} {property.Name} {{ {Accessors(property)}}}",
        FieldInfo { IsLiteral: true } field => field.DeclaringType!.IsEnum ? field.Name : $"const {Name(field.FieldType)} {field.Name}", // Of a type.
        FieldInfo field => $"{(field.IsStatic ? "static " : "")}{Name(field.FieldType)} {field.Name}",
        EventInfo happened => $"event {Name(happened.EventHandlerType!)} {happened.Name}", // C# gives each a handler.
        _ => member.Name,
    };

    /// <summary>A type as C# writes it, without its namespace.</summary>
    internal static string Name(Type type)
    {
        if (type.IsByRef)
        {
            return $"ref {Name(type.GetElementType()!)}"; // What refers has an element.
        }

        if (type.IsArray || type.IsPointer)
        {
            return $"{Name(type.GetElementType()!)}{(type.IsArray ? $"[{new string(',', type.GetArrayRank() - 1)}]" : "*")}"; // So have these.
        }

        if (type.IsGenericParameter || !type.IsGenericType)
        {
            return s_keywords.TryGetValue(type.FullName ?? "", out string? keyword) ? keyword
                : type is { IsNested: true, IsGenericParameter: false } ? $"{Name(type.DeclaringType!)}.{type.Name}" : type.Name; // Nested in one.
        }

        string name = type.Name.Split('`')[0];
        Type[] arguments = type.GetGenericArguments();
        return name == "Nullable" ? $"{Name(arguments[0])}?" : $"{name}<{string.Join(", ", arguments.Select(Name))}>";
    }

    internal static string IdOf(MemberInfo member) => member switch
    {
        Type type => $"T:{TypeId(type)}",
        MethodBase method => $"M:{TypeId(method.DeclaringType!)}.{method.Name.Replace('.', '#')}{Arity(method)}{ParameterIds(method.GetParameters())}{Conversion(method)}", // Of a type.
        PropertyInfo property => $"P:{TypeId(property.DeclaringType!)}.{property.Name}{ParameterIds(property.GetIndexParameters())}",
        FieldInfo field => $"F:{TypeId(field.DeclaringType!)}.{field.Name}",
        _ => $"E:{TypeId(member.DeclaringType!)}.{member.Name}",
    };

    private static string Kind(Type type) => type switch
    {
        { IsEnum: true } => "enum",
        { IsValueType: true } => "struct",
        { IsInterface: true } => "interface",
        { BaseType.FullName: "System.MulticastDelegate" } => "delegate",
        { IsAbstract: true, IsSealed: true } => "static class",
        { IsAbstract: true } => "abstract class",
        _ => "class",
    };

    private static string Accessors(PropertyInfo property)
        => (property.GetMethod is { } get && IsVisible(get) ? "get; " : "")
            + (property.SetMethod is { } set && IsVisible(set)
                ? set.ReturnParameter.GetRequiredCustomModifiers().Any(static modifier => modifier.Name == "IsExternalInit") ? "init; " : "set; " : "");

    private static string Generic(MethodInfo method)
        => method.IsGenericMethodDefinition ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>" : "";

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(static parameter
        => $"{(parameter.IsOut ? Name(parameter.ParameterType).Replace("ref ", "out ", StringComparison.Ordinal) : Name(parameter.ParameterType))} {parameter.Name}"
            + (parameter.HasDefaultValue ? $" = {parameter.RawDefaultValue ?? "default"}" : "")));

    private static string TypeId(Type type) => (type.FullName ?? $"{type.Namespace}.{type.Name}").Replace('+', '.');

    private static string Arity(MethodBase method) => method.IsGenericMethodDefinition ? $"``{method.GetGenericArguments().Length}" : "";

    private static string Conversion(MethodBase method)
        => method is MethodInfo { Name: "op_Implicit" or "op_Explicit" } conversion ? $"~{ParameterId(conversion.ReturnType)}" : "";

    private static string ParameterIds(ParameterInfo[] parameters)
        => parameters.Length == 0 ? "" : $"({string.Join(',', parameters.Select(static parameter => ParameterId(parameter.ParameterType)))})";

    private static string Bounds(Type array) => array.GetArrayRank() == 1 ? "" : string.Join(',', Enumerable.Repeat("0:", array.GetArrayRank()));

    private static string ParameterId(Type type) => type switch
    {
        { IsByRef: true } => $"{ParameterId(type.GetElementType()!)}@",
        { IsArray: true } => $"{ParameterId(type.GetElementType()!)}[{Bounds(type)}]",
        { IsPointer: true } => $"{ParameterId(type.GetElementType()!)}*",
        { IsGenericParameter: true, DeclaringMethod: not null } => $"``{type.GenericParameterPosition}",
        { IsGenericParameter: true } => $"`{type.GenericParameterPosition}",
        { IsGenericType: true } => $"{TypeId(type.GetGenericTypeDefinition()).Split('`')[0]}{{{string.Join(',', type.GetGenericArguments().Select(ParameterId))}}}",
        _ => TypeId(type),
    };
}
